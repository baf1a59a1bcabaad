import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { createIntake } from '../pipeline/intake.js';
import { createKeys } from '../pipeline/keys.js';
import type { PipelineObserver } from '../pipeline/observer.js';
import { createQueues } from '../pipeline/queues.js';
import type { Intake } from '../receiver/intake.js';
import { createProducerConnection } from '../redis/connect.js';
import type { RedisAddress } from '../redis/redis-url.js';
import type { Releasers } from './releasers.js';

/** The receiver's way into Redis: a connection of its own that fails fast. */
export function startIntake(options: {
  config: Config;
  address: RedisAddress;
  observer: PipelineObserver;
  log: Logger;
  releasers: Releasers;
}): Intake {
  const { config, address, observer, log, releasers } = options;
  const redis = createProducerConnection(address, log);
  releasers.add('intake connection', () => redis.disconnect());
  // Said in the log by the connection, which goes on trying.
  redis.connect().catch(() => {});
  const onError = (err: Error) => log.debug({ err }, 'intake queue');
  const queues = createQueues({ redis, prefix: config.queuePrefix, producer: true, onError });
  releasers.add('intake queue', () => queues.close());
  return createIntake({
    redis,
    queue: queues.notifications(),
    keys: createKeys(config.queuePrefix),
    reorderWindowMs: config.reorderWindowMs,
    dedupeWindowS: config.dedupeWindowS,
    observer,
  });
}

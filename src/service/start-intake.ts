import { setTimeout as wait } from 'node:timers/promises';
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

/** How long a start waits for the connection, ms: with Redis there, the first request finds it open. */
const CONNECT_MS = 2000;

/** The receiver's way into Redis: a connection of its own that fails fast. Where Redis is away it goes on trying. */
export async function startIntake(options: {
  config: Config;
  address: RedisAddress;
  observer: PipelineObserver;
  log: Logger;
  releasers: Releasers;
}): Promise<Intake> {
  const { config, address, observer, log, releasers } = options;
  const redis = createProducerConnection(address, log, 'intake');
  releasers.add('intake connection', () => redis.disconnect());
  // Why not is said in the log by the connection.
  const connected = redis.connect().catch(() => {});
  await Promise.race([connected, wait(CONNECT_MS, undefined, { ref: false })]);
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

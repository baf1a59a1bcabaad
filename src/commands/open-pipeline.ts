import type { Redis } from 'ioredis';
import { readConfig } from '../config.js';
import { createLogger } from '../logger.js';
import { createDispatcher } from '../pipeline/dispatch.js';
import { createFailedDeliveries } from '../pipeline/failed.js';
import { createKeys } from '../pipeline/keys.js';
import { createQueues } from '../pipeline/queues.js';
import { createScripts } from '../pipeline/scripts.js';
import { checkServer } from '../redis/check-server.js';
import { createProducerConnection } from '../redis/connect.js';
import { openRedis } from '../service/open-redis.js';
import { CommandError } from './command-error.js';
import type { Terminal } from './program.js';

/** What a command needs of the pipeline: the same Redis and prefix as the service's, by the same environment. */
export interface OpenPipeline {
  redis: Redis;
  keys: ReturnType<typeof createKeys>;
  queues: ReturnType<typeof createQueues>;
  scripts: ReturnType<typeof createScripts>;
  failed: ReturnType<typeof createFailedDeliveries>;
}

/** Runs `use` with the pipeline open, and closes it. Throws a {@link CommandError} where Redis is away or unfit. */
export async function withPipeline<Result>(
  terminal: Terminal,
  use: (pipeline: OpenPipeline) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(terminal.env, { receives: false });
  const log = createLogger({ level: terminal.env.LOG_LEVEL === 'debug' ? 'debug' : 'silent' });
  const { address, stop } = await openRedis(config, log);
  const redis = createProducerConnection(address, log);
  try {
    await connect(redis);
    const check = await checkServer(redis);
    if (!check.ok) throw new CommandError(check.problem);
    const keys = createKeys(config.queuePrefix);
    const onError = (err: Error) => log.debug({ err }, 'queue');
    const queues = createQueues({ redis, prefix: config.queuePrefix, producer: true, onError });
    const scripts = createScripts(redis, keys, config);
    const dispatch = createDispatcher({ queues, eventRetentionS: config.eventRetentionS });
    const failed = createFailedDeliveries({ redis, keys, queues, scripts, dispatch });
    try {
      return await use({ redis, keys, queues, scripts, failed });
    } finally {
      await queues.close();
    }
  } finally {
    redis.disconnect();
    await stop();
  }
}

/** What `connect` rejects with says only that the connection is closed; why was said before. */
async function connect(redis: Redis): Promise<void> {
  let reason: NodeJS.ErrnoException | undefined;
  redis.on('error', (error) => {
    reason ??= error;
  });
  try {
    await redis.connect();
  } catch (error) {
    const cause = reason ?? (error as NodeJS.ErrnoException);
    // Node gives several addresses that refused as one error without a message.
    const why = (cause.message || cause.code || cause.name).replace(/\.$/, '');
    throw new CommandError(`Redis cannot be used: ${why}. REDIS_URL says where it is.`, 1, { cause });
  }
}

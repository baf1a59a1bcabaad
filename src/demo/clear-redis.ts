import { Redis } from 'ioredis';
import { readConfig } from '../config.js';
import { redisOptions } from '../redis/connect.js';
import { startPrivateServer } from '../redis/private-server.js';
import { preparePlace, readRecord } from '../redis/private-server-place.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Leaves nothing of a stopped service in Redis. Of a Redis that is somebody's: the keys under the prefix. The private one
 * goes with the service; where that was killed it still runs, so it is taken over and ended.
 */
export async function clearRedis(env: Record<string, string | undefined>): Promise<void> {
  const { redisUrl, queuePrefix, dataDir } = readConfig(env);
  if (redisUrl !== undefined) return clearKeys(redisUrl, queuePrefix);
  if (readRecord(preparePlace(dataDir)) === undefined) return;
  const server = await startPrivateServer({ dataDir, log: silent });
  await server.stop();
}

async function clearKeys(redisUrl: string, prefix: string): Promise<void> {
  const redis = new Redis({ ...redisOptions(redisUrl), lazyConnect: true, retryStrategy: null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(keys);
    }
  } finally {
    redis.disconnect();
  }
}

import type { Logger } from 'pino';
import { redisOptions } from '../redis/connect.js';
import { startPrivateServer } from '../redis/private-server.js';
import type { RedisAddress } from '../redis/redis-url.js';

/** Where Redis is, and how to let go of it. */
export interface OpenRedis {
  address: RedisAddress;
  /** Ends the private one, if it is ours. */
  stop(): Promise<void>;
}

/**
 * `REDIS_URL` where it is set; else a private server in `dataDir`. Rejects where there is none on the machine. `onLost`: the
 * private one died again and again, and is given up.
 */
export async function openRedis(
  { redisUrl, dataDir }: { redisUrl?: string | undefined; dataDir: string },
  log: Logger,
  onLost?: (error: Error) => void,
): Promise<OpenRedis> {
  if (redisUrl !== undefined) return { address: redisOptions(redisUrl), stop: async () => {} };
  const server = await startPrivateServer({ dataDir, log, ...(onLost && { onLost }) });
  log.info({ dataDir, owner: server.owner }, 'private Redis');
  return { address: redisOptions({ socketPath: server.socketPath }), stop: () => server.stop() };
}

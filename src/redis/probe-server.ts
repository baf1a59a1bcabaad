import { Redis } from 'ioredis';
import { parseInfo } from './parse-info.js';

const TIMEOUT_MS = 1000;

/** `down`: nobody listens. `silent`: somebody does, and does not answer within a second. */
export type Probe = { state: 'up' | 'loading'; pid: number } | { state: 'down' } | { state: 'silent' };

/** Asks the Redis at a Unix socket how it is. Throws where the socket may not be opened. */
export async function probeServer(socketPath: string): Promise<Probe> {
  const redis = new Redis({
    path: socketPath,
    lazyConnect: true,
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
  });
  let failure: NodeJS.ErrnoException | undefined;
  redis.on('error', (error) => {
    failure = error;
  });
  try {
    await redis.connect();
    const info = parseInfo(await redis.info());
    return { state: info.get('loading') === '1' ? 'loading' : 'up', pid: Number(info.get('process_id')) };
  } catch (error) {
    const code = failure?.code;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return { state: 'down' };
    if (code === 'EACCES' || code === 'EPERM') {
      throw new Error(
        `the socket ${socketPath} belongs to another user: run this as that user, or set another DATA_DIR`,
        {
          cause: failure ?? error,
        },
      );
    }
    return { state: 'silent' };
  } finally {
    // What has ended needs no disconnecting, and doing so would keep the process for two seconds.
    if (redis.status !== 'end') redis.disconnect();
  }
}

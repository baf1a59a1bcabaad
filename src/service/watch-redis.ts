import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { checkServer } from '../redis/check-server.js';

/** Redis can be reached, but not trusted with notifications. */
export class RedisRefusedError extends Error {
  override readonly name = 'RedisRefusedError';
}

export interface WatchedRedis {
  /** Resolves once Redis was reached and found fit, whenever that is; rejects with {@link RedisRefusedError}. */
  readonly fit: Promise<void>;
  isUp(): boolean;
}

/** How often a Redis that is up is asked for a sign of life; without one until the next time it counts as away, ms. */
const PING_MS = 1000;

/**
 * Checks the server whenever the connection comes up: the one that comes back need not be the one that went. Only the
 * first check can refuse; later ones say what they find in the log, since by then notifications depend on the service.
 */
export function watchRedis(redis: Redis, log: Logger, onChange: (up: boolean) => void): WatchedRedis {
  let isFit = false;
  let up = false;
  const change = (now: boolean) => {
    up = now;
    onChange(now);
  };
  const fit = new Promise<void>((resolve, reject) => {
    const check = async () => {
      const result = await checkServer(redis);
      if (!result.ok) {
        if (isFit) log.error({ problem: result.problem }, 'this Redis is not fit for notifications');
        else reject(new RedisRefusedError(result.problem));
        return;
      }
      if (!isFit) {
        log.info({ version: result.version }, 'connected to Redis');
        for (const warning of result.warnings) log.warn(warning);
        for (const note of result.notes) log.info(note);
      }
      isFit = true;
      change(true);
      resolve();
    };
    // A connection lost during the check comes up again, and is checked again.
    const checkWhenReady = () => void check().catch((err: Error) => log.debug({ err }, 'Redis could not be checked'));
    redis.on('ready', checkWhenReady);
    redis.on('close', () => change(false));
    if (redis.status === 'ready') checkWhenReady();
  });
  fit.catch(() => {});
  endSilence(redis, () => up);
  return { fit, isUp: () => up };
}

/** A server that is frozen, or behind a network that is gone, keeps its connections: they are closed for it. */
function endSilence(redis: Redis, isUp: () => boolean): void {
  let waiting = false;
  const timer = setInterval(() => {
    if (!isUp()) return;
    if (!waiting) {
      waiting = true;
      const answered = () => {
        waiting = false;
      };
      redis.ping().then(answered, answered);
      return;
    }
    // Once more around the event loop: after a stall of this process the answer may be there, unread.
    setImmediate(() => waiting && redis.disconnect(true));
  }, PING_MS).unref();
  redis.once('end', () => clearInterval(timer));
}

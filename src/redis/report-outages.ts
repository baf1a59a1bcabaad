import type { Redis } from 'ioredis';
import type { Logger } from 'pino';

const QUIET_MS = 10_000;

export type OutageLog = Pick<Logger, 'error' | 'info'>;

/**
 * Logs what happens to a connection without flooding the log: the first error of an outage, then at most one in ten
 * seconds with the number of those left out, and one line when Redis is back. Only messages and codes are logged: the
 * errors of ioredis carry the command, with its password where that was AUTH.
 */
export function reportOutages(redis: Redis, log: OutageLog, connection: string, now: () => number = Date.now): void {
  let outageSince: number | undefined;
  let lastLine = Number.NEGATIVE_INFINITY;
  let leftOut = 0;

  redis.on('error', (error: NodeJS.ErrnoException) => {
    if (isOwnDoing(error)) return;
    outageSince ??= now();
    if (now() - lastLine < QUIET_MS) {
      leftOut++;
      return;
    }
    const fields = { connection, reason: describe(error), ...(leftOut > 0 ? { leftOut } : {}) };
    log.error(fields, 'Redis cannot be used; trying again');
    lastLine = now();
    leftOut = 0;
  });
  // A server that ends, ends its connections without an error.
  redis.on('reconnecting', () => {
    outageSince ??= now();
  });
  redis.on('ready', () => {
    if (outageSince !== undefined) log.info({ connection, outageMs: now() - outageSince }, 'Redis is back');
    outageSince = undefined;
    lastLine = Number.NEGATIVE_INFINITY;
    leftOut = 0;
  });
}

/** ioredis' handshake on a connection that goes down, or is let go of: why it goes down is said apart, if it is news. */
function isOwnDoing(error: Error): boolean {
  return error.message.startsWith("Stream isn't writeable");
}

/** Node gives several addresses that refused as one error without a message. */
function describe(error: NodeJS.ErrnoException): string {
  return error.message || error.code || error.name;
}

import type { RetryGuidance } from '../protocol/statuses.js';

export interface RetryOptions {
  /** Requests for one operation, the first included. Default 5; 1: never again. */
  maxAttempts: number;
  /** The first wait that is not zero, ms; it doubles from there. Default 1000. */
  baseMs: number;
  /** The longest wait, ms. Default 30000. */
  maxMs: number;
}

export const DEFAULT_RETRY: RetryOptions = { maxAttempts: 5, baseMs: 1000, maxMs: 30_000 };

/**
 * When to repeat one operation (contract: "Errors", column Retry). Called after each failed attempt with its guidance, it
 * gives the wait in ms, or undefined to stop.
 *
 * `never` stops. `once` is repeated one time, after the base wait: the system said it is overloaded.
 * `immediately-then-backoff` is repeated at once the first time, then after waits that double from the base to the
 * maximum. Each wait is shortened by up to half at random, so that clients do not come back together.
 *
 * @param random 0 to 1, as `Math.random`
 */
export function createRetrySchedule(
  options: RetryOptions,
  random: () => number,
): (guidance: RetryGuidance) => number | undefined {
  const { maxAttempts, baseMs, maxMs } = options;
  let failures = 0;
  let backoffs = 0;
  let repeatedOnce = false;
  let repeatedAtOnce = false;

  function jittered(waitMs: number): number {
    return Math.round(Math.min(waitMs, maxMs) * (1 - random() / 2));
  }

  return (guidance) => {
    failures += 1;
    if (failures >= maxAttempts || guidance === 'never') return undefined;
    if (guidance === 'once') {
      if (repeatedOnce) return undefined;
      repeatedOnce = true;
      return jittered(baseMs);
    }
    if (!repeatedAtOnce) {
      repeatedAtOnce = true;
      return 0;
    }
    backoffs += 1;
    return jittered(baseMs * 2 ** (backoffs - 1));
  };
}

import { setTimeout as wait } from 'node:timers/promises';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

/**
 * Repeats an operation on Redis until it succeeds: for writes that may come twice but must not be skipped. Gives up, with
 * the operation's error, once `until` is aborted.
 */
export async function insist<Result>(operation: () => Promise<Result>, until: AbortSignal): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await operation();
    } catch (error) {
      if (until.aborted) throw error;
      await wait(waitMs, undefined, { signal: until }).catch(() => {});
    }
  }
}

/** Wait before the first repeat; each further one is twice as long (contract: "Limits"). */
const FIRST_WAIT_MS = 3_000;
const MAX_REPEATS = 9;
/** How long after its first attempt a notification is dropped. */
const DROPPED_AFTER_MS = 25 * 60_000;

/**
 * What becomes of the ninth repeat. The waits add up to 1,533 s, which is past the 25 minutes, so nine repeats are only
 * possible if the last wait is cut short. `at-limit`: it is, and the ninth is made at 25 minutes. `drop`: it is not made,
 * and what is still unacknowledged after 765 s is lost.
 */
export type LastRepeat = 'at-limit' | 'drop';

/**
 * How long to wait before a notification is sent again, platform ms; undefined where it is dropped.
 *
 * @param repeats how often it was repeated so far
 * @param elapsedMs platform ms since its first attempt
 */
export function nextWaitMs(repeats: number, elapsedMs: number, lastRepeat: LastRepeat): number | undefined {
  if (repeats >= MAX_REPEATS) return undefined;
  const waitMs = FIRST_WAIT_MS * 2 ** repeats;
  const leftMs = DROPPED_AFTER_MS - elapsedMs;
  if (waitMs <= leftMs) return waitMs;
  return lastRepeat === 'at-limit' && leftMs > 0 ? leftMs : undefined;
}

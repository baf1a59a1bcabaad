/** Longer waits are cut: the stream stands still meanwhile. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds, at most an hour: whole seconds or an HTTP date.
 * Undefined where there is none, where it is neither, or where it is over: the usual back-off is the better wait then.
 *
 * @param now milliseconds since the epoch.
 */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const wait = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return wait > 0 ? Math.min(wait, LONGEST_WAIT_MS) : undefined;
}

/** NaN where it is none. All three forms of an HTTP date begin with the name of a day and are in GMT. */
function httpDate(text: string): number {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return Number.NaN;
  return Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
}

/** From here on a number is milliseconds: as seconds it would lie in the year 5138, as milliseconds in 1973. */
const MILLISECONDS_FROM = 1e11;

/**
 * UNIX time of the `X-<brand>-Timestamp` header in milliseconds, or undefined where it is none. The contract does not
 * state the unit, so seconds and milliseconds are told apart by size; both may have a fraction.
 */
export function parseUnixTimestamp(value: string): number | undefined {
  if (!/^\d{1,16}(\.\d{1,9})?$/.test(value)) return undefined;
  const number = Number(value);
  return number >= MILLISECONDS_FROM ? number : number * 1000;
}

/** A message's `timestamp` (RFC 3339) in whole milliseconds since the epoch, or undefined where it is unusable. */
export function parseMessageTimestamp(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/i.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) || time < 0 ? undefined : time;
}

import { InvalidArgumentError } from 'commander';
import ms, { type StringValue } from 'ms';

/** `ms` throws where a text is longer. */
const LONGEST_TEXT = 100;
/** Node's timers wait for 24.8 days at most; told to wait longer they fire at once. */
const LONGEST_WAIT_MS = ms('24d');

/**
 * A duration with its unit, such as `30m` or `1.5 h`, in whole ms, rounded up; undefined where the text is none. A number
 * without a unit is none: it could be seconds or milliseconds.
 */
export function readDuration(text: string): number | undefined {
  const duration = /[a-z]$/i.test(text) && text.length <= LONGEST_TEXT ? ms(text as StringValue) : undefined;
  return duration !== undefined && Number.isFinite(duration) && duration >= 0 ? Math.ceil(duration) : undefined;
}

/**
 * Reads a flag's duration, for commander.
 *
 * @param limits `zero`: whether 0 will do; `waited`: whether somebody waits for it in real time, which has its limit
 */
export function parseDuration({ zero = false, waited = false } = {}): (text: string) => number {
  return (text) => {
    const duration = readDuration(text);
    if (duration === undefined || (duration === 0 && !zero)) {
      const expected = zero ? 'a duration with its unit' : 'a duration above 0 with its unit';
      throw new InvalidArgumentError(`Expected ${expected}, such as 500ms, 30s, 15m or 1h.`);
    }
    if (waited && duration > LONGEST_WAIT_MS) throw new InvalidArgumentError('Expected 24d or less.');
    return duration;
  };
}

import { InvalidArgumentError } from 'commander';
import { parseDurationMs } from '../../sandbox/delivery/faults.js';

/** A flag's number, at least `least`. */
export function parseNumber(least: number): (text: string) => number {
  return (text) => {
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isFinite(number) && number >= least) return number;
    throw new InvalidArgumentError(`Expected a number, ${least} or more.`);
  };
}

/** A flag's whole number, at least `least`. */
export function parseCount(least: number): (text: string) => number {
  return (text) => {
    const count = parseNumber(least)(text);
    if (Number.isSafeInteger(count)) return count;
    throw new InvalidArgumentError('Expected a whole number.');
  };
}

/** A flag's duration in ms, such as `30s`. A number without a unit is refused: it could be seconds or milliseconds. */
export function parseDuration(text: string): number {
  const duration = /[a-z]$/i.test(text) ? parseDurationMs(text) : undefined;
  if (duration !== undefined) return duration;
  throw new InvalidArgumentError('Expected a duration with its unit, such as 500ms, 30s or 5m.');
}

/** A flag's list: `a,b`. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

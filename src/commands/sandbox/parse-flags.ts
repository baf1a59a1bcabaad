import { InvalidArgumentError } from 'commander';

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

/** A flag's list: `a,b`. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

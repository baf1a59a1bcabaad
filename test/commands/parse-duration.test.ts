import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from 'commander';
import { parseDuration, readDuration } from '../../src/commands/parse-duration.js';

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5 h', 5_400_000],
    ['365d', 31_536_000_000],
    ['0.2ms', 1],
    ['0s', 0],
  ])('%s is %i ms', (text, ms) => {
    expect(readDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '30',
    'soon',
    '-1h',
    '1 fortnight',
    `${'9'.repeat(100)}h`,
    `1${'0'.repeat(400)}h`,
    '2026-11-20T10:00:00Z',
  ])('%j is none', (text) => {
    expect(readDuration(text)).toBeUndefined();
  });
});

describe("a flag's duration", () => {
  it.each([
    [{}, '1h', 3_600_000],
    [{}, '365d', 31_536_000_000],
    [{ zero: true }, '0s', 0],
    [{ waited: true }, '24d', 2_073_600_000],
  ])('that may be %j takes %s', (limits, text, ms) => {
    expect(parseDuration(limits)(text)).toBe(ms);
  });

  it.each([
    [{}, '0s', 'Expected a duration above 0 with its unit, such as 500ms, 30s, 15m or 1h.'],
    [{ zero: true }, '5', 'Expected a duration with its unit, such as 500ms, 30s, 15m or 1h.'],
    [{ waited: true }, '25d', 'Expected 24d or less.'],
  ])('that may be %j does not take %s', (limits, text, message) => {
    expect(() => parseDuration(limits)(text)).toThrow(new InvalidArgumentError(message));
  });
});

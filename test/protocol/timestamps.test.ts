import { describe, expect, it } from '@jest/globals';
import { parseMessageTimestamp, parseUnixTimestamp } from '../../src/protocol/timestamps.js';

describe('parseUnixTimestamp', () => {
  it.each([
    ['seconds', '1790000000', 1_790_000_000_000],
    ['seconds with a fraction', '1790000000.5', 1_790_000_000_500],
    ['milliseconds', '1790000000123', 1_790_000_000_123],
    ['milliseconds with a fraction', '1790000000123.25', 1_790_000_000_123.25],
    ['the largest seconds', '99999999999', 99_999_999_999_000],
    ['the smallest milliseconds', '100000000000', 100_000_000_000],
    ['the epoch', '0', 0],
  ])('reads %s', (_name, value, expected) => {
    expect(parseUnixTimestamp(value)).toBe(expected);
  });

  it.each([
    '',
    ' 1790000000',
    '1790000000 ',
    '-1',
    '+1',
    '1e9',
    '0x10',
    'NaN',
    '1.',
    '.5',
    '12345678901234567',
    '２',
    '2026-09-21T14:13:20Z',
  ])('takes %p for none', (value) => {
    expect(parseUnixTimestamp(value)).toBeUndefined();
  });
});

describe('parseMessageTimestamp', () => {
  it.each([
    ['2026-09-21T14:13:20.000Z', 1_790_000_000_000],
    ['2026-09-21T14:13:20.123Z', 1_790_000_000_123],
    ['2026-09-21T16:13:20.000+02:00', 1_790_000_000_000],
    ['1970-01-01T00:00:00.000Z', 0],
  ])('reads %s', (value, expected) => {
    expect(parseMessageTimestamp(value)).toBe(expected);
  });

  it.each([
    undefined,
    null,
    7,
    {},
    '',
    'yesterday',
    '2026',
    '2026-09-21',
    '2026-13-45T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '1790000000',
  ])('takes %p for none', (value) => {
    expect(parseMessageTimestamp(value)).toBeUndefined();
  });
});

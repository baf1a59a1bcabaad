import { describe, expect, it } from '@jest/globals';
import { readRetryAfter } from '../../../src/handlers/builtin/retry-after.js';

const now = Date.parse('2026-11-20T10:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['1', 1000],
    [' 120 ', 120_000],
    ['999999999', 3_600_000],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Friday, 20-Nov-26 10:00:30 GMT', 30_000],
    ['Fri Nov 20 10:00:30 2026', 30_000],
    ['Sat, 20 Nov 2027 10:00:30 GMT', 3_600_000],
  ])('of %p is a wait of %p ms', (value, waitMs) => {
    expect(readRetryAfter(value, now)).toBe(waitMs);
  });

  it.each([null, '', '0', '-5', '1.5', '1e3', 'soon', '2026-11-20', 'Fri, 20 Nov 2026 09:59:59 GMT', 'Friday'])(
    'of %p says nothing of use',
    (value) => {
      expect(readRetryAfter(value, now)).toBeUndefined();
    },
  );
});

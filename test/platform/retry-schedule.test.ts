import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRetrySchedule, DEFAULT_RETRY } from '../../src/platform/retry-schedule.js';
import type { RetryGuidance } from '../../src/protocol/statuses.js';

const noJitter = () => 0;

function waits(guidance: readonly RetryGuidance[], options = {}, random = noJitter): (number | undefined)[] {
  const nextWait = createRetrySchedule({ ...DEFAULT_RETRY, ...options }, random);
  return guidance.map((each) => nextWait(each));
}

const BACKOFF = 'immediately-then-backoff';

describe('createRetrySchedule', () => {
  it('never repeats what must not be', () => {
    expect(waits(['never', BACKOFF])[0]).toBeUndefined();
  });

  it('repeats once what may be repeated once, after the base wait', () => {
    expect(waits(['once', 'once'])).toEqual([1000, undefined]);
  });

  it('repeats at once, then after doubling waits, up to the limit', () => {
    expect(waits(Array(5).fill(BACKOFF))).toEqual([0, 1000, 2000, 4000, undefined]);
    expect(waits(Array(8).fill(BACKOFF), { maxAttempts: 8, baseMs: 100, maxMs: 500 })).toEqual([
      0,
      100,
      200,
      400,
      500,
      500,
      500,
      undefined,
    ]);
    expect(waits([BACKOFF], { maxAttempts: 1 })).toEqual([undefined]);
  });

  it('follows the latest guidance, and spends each permission one time', () => {
    expect(waits([BACKOFF, 'once', BACKOFF, 'once'])).toEqual([0, 1000, 1000, undefined]);
    expect(waits([BACKOFF, BACKOFF, 'never'])).toEqual([0, 1000, undefined]);
  });

  it('shortens each wait by up to half', () => {
    expect(waits([BACKOFF, BACKOFF, BACKOFF, 'once'], {}, () => 0.5)).toEqual([0, 750, 1500, 750]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        const [, second, third] = waits([BACKOFF, BACKOFF, BACKOFF], {}, () => random);
        expect(second).toBeGreaterThanOrEqual(500);
        expect(second).toBeLessThanOrEqual(1000);
        expect(third).toBeGreaterThanOrEqual(1000);
        expect(third).toBeLessThanOrEqual(2000);
      }),
    );
  });
});

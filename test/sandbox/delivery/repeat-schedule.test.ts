import { describe, expect, it } from '@jest/globals';
import { type LastRepeat, nextWaitMs } from '../../../src/sandbox/delivery/repeat-schedule.js';

/** Seconds after the first attempt at which attempts are made, if none succeeds and answers take no time. */
function attemptsAt(lastRepeat: LastRepeat): number[] {
  const at = [0];
  for (;;) {
    const elapsed = at.at(-1) ?? 0;
    const wait = nextWaitMs(at.length - 1, elapsed * 1000, lastRepeat);
    if (wait === undefined) return at;
    at.push(elapsed + wait / 1000);
  }
}

describe('nextWaitMs', () => {
  it('waits 3 s, then twice as long each time, and makes the ninth repeat at 25 minutes', () => {
    expect(attemptsAt('at-limit')).toEqual([0, 3, 9, 21, 45, 93, 189, 381, 765, 1500]);
  });

  it('makes no ninth repeat where it would be past 25 minutes', () => {
    expect(attemptsAt('drop')).toEqual([0, 3, 9, 21, 45, 93, 189, 381, 765]);
  });

  it('drops at 25 minutes whatever the number of repeats', () => {
    expect(nextWaitMs(3, 1_500_000, 'at-limit')).toBeUndefined();
    expect(nextWaitMs(3, 1_490_000, 'at-limit')).toBe(10_000);
    expect(nextWaitMs(3, 1_490_000, 'drop')).toBeUndefined();
  });

  it('never repeats a tenth time', () => {
    expect(nextWaitMs(9, 0, 'at-limit')).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { PermanentError, RetryAfterError } from '../../src/handlers/errors.js';
import {
  AttemptFailedError,
  deliveryBackOff,
  messageOf,
  sequencerBackOff,
  waitAfter,
} from '../../src/pipeline/back-off.js';

const HOUR_MS = 3_600_000;

describe('the wait between attempts', () => {
  it('doubles with each failed attempt, up to an hour', () => {
    const waits = [1, 2, 3, 4, 12, 13, 100].map((failures) => waitAfter(new Error('x'), failures, 1000));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 2_048_000, HOUR_MS, HOUR_MS]);
    expect(waitAfter(new Error('x'), 100, 0)).toBe(0);
    expect(waitAfter(new Error('x'), 1, 86_400_000)).toBe(HOUR_MS);
  });

  it('is what the handler asks for, be it longer or none', () => {
    expect(waitAfter(new RetryAfterError(0), 5, 1000)).toBe(0);
    expect(waitAfter(new RetryAfterError(2 * HOUR_MS), 1, 1000)).toBe(2 * HOUR_MS);
    expect(waitAfter(new PermanentError('x'), 1, 1000)).toBe(1000);
  });

  it('is carried out by BullMQ: a wait, or never again', () => {
    expect(deliveryBackOff(1, 'custom', new AttemptFailedError(new Error('x'), 0))).toBe(0);
    expect(deliveryBackOff(1, 'custom', new AttemptFailedError(new Error('x'), 250))).toBe(250);
    expect(deliveryBackOff(9, 'custom', new AttemptFailedError(new Error('x'), undefined))).toBe(-1);
  });

  it('never ends where it was not the handler that failed', () => {
    for (const failures of [1, 10, 1000]) {
      expect(deliveryBackOff(failures, 'custom', new Error('READONLY'))).toBe(1000);
      expect(sequencerBackOff(failures)).toBeGreaterThan(0);
      expect(sequencerBackOff(failures)).toBeLessThanOrEqual(10_000);
    }
    expect([1, 2, 3].map(sequencerBackOff)).toEqual([200, 400, 800]);
  });
});

describe('the reason of a failed attempt', () => {
  const unspeakable = Object.create(null) as object;
  it.each<[string, unknown, string]>([
    ['an error', new TypeError('no such field'), 'no such field'],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['an error whose message is no text', Object.assign(new Error(), { message: { code: 7 } }), '[object Object]'],
    ['text', 'out of order', 'out of order'],
    ['nothing', undefined, 'undefined'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['what has no text at all', unspeakable, 'an error that cannot be shown'],
  ])('is told of %s', (_, thrown, expected) => {
    expect(messageOf(thrown)).toBe(expected);
    expect(new AttemptFailedError(thrown, 1).message).toBe(expected);
  });

  it('is cut where it is long, and the stack is the handler’s', () => {
    expect(messageOf(new Error('x'.repeat(10_000)))).toHaveLength(2000);
    const cause = new Error('mine');
    const failed = new AttemptFailedError(cause, 1);
    expect(failed.cause).toBe(cause);
    expect(failed.stack).toBe(cause.stack);
  });
});

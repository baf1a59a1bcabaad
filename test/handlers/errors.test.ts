import { describe, expect, it } from '@jest/globals';
import { isPermanentError, PermanentError, RetryAfterError, retryAfterMs } from '../../src/handlers/errors.js';

describe('the errors of handlers', () => {
  it('are told apart, with their message and cause', () => {
    const cause = new Error('why');
    const permanent = new PermanentError('no such stream', { cause });
    expect(permanent).toMatchObject({ name: 'PermanentError', message: 'no such stream', cause });
    expect([isPermanentError(permanent), retryAfterMs(permanent)]).toEqual([true, undefined]);

    const retry = new RetryAfterError(1500, 'busy', { cause });
    expect(retry).toMatchObject({ name: 'RetryAfterError', message: 'busy', cause });
    expect([isPermanentError(retry), retryAfterMs(retry)]).toEqual([false, 1500]);
    expect(new RetryAfterError(0).message).toBe('try again in 0 ms');
  });

  it.each([new Error('x'), 'text', undefined, null, { permanent: true }])('are not seen in %p', (error) => {
    expect([isPermanentError(error), retryAfterMs(error)]).toEqual([false, undefined]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('take no wait of %p ms', (delayMs) => {
    expect(() => new RetryAfterError(delayMs)).toThrow(
      new TypeError(`RetryAfterError: expected milliseconds, 0 or more; received ${delayMs}`),
    );
  });
});

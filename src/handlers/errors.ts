/** Registered symbols, so that errors of another copy of this module (a handler loaded apart) are recognised too. */
const PERMANENT = Symbol.for('sluice.permanent-error');
const RETRY_AFTER = Symbol.for('sluice.retry-after-error');

/** Thrown by a handler: trying again cannot help, the delivery is failed at once. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
  readonly [PERMANENT] = true;
}

/** Thrown by a handler: try again, `delayMs` milliseconds from now (it costs an attempt like any other). */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError';
  readonly [RETRY_AFTER]: number;

  constructor(delayMs: number, message = `try again in ${delayMs} ms`, options?: ErrorOptions) {
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new TypeError(`RetryAfterError: expected milliseconds, 0 or more; received ${String(delayMs)}`);
    }
    super(message, options);
    this[RETRY_AFTER] = delayMs;
  }
}

export function isPermanentError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && PERMANENT in error;
}

/** The wait that a {@link RetryAfterError} asks for, ms; undefined for any other error. */
export function retryAfterMs(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !(RETRY_AFTER in error)) return undefined;
  return Number(error[RETRY_AFTER]);
}

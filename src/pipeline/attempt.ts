import type { HandlerContext } from '../handlers/handler.js';
import type { ResolvedHandler } from '../handlers/resolve-handler.js';
import type { Notification } from '../protocol/notification.js';

/** An attempt took longer than the handler's `timeoutMs`. */
export class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
}

export type AttemptResult =
  | { state: 'success' }
  | { state: 'timeout' | 'error'; error: unknown }
  /** The process stops, or the lock was lost: not the handler's doing, so it costs no attempt. */
  | { state: 'interrupted'; error: unknown };

/**
 * Runs a handler once. Its signal is aborted after `timeoutMs`, and when `interrupt` is; a handler that does not heed it
 * is left behind after a time-out (`fence` tells its writes from those of the next attempt), but waited for on an interrupt,
 * whose deadline is the caller's.
 */
export async function runAttempt(
  handler: ResolvedHandler,
  notification: Notification,
  context: Omit<HandlerContext, 'signal'>,
  interrupt: AbortSignal,
): Promise<AttemptResult> {
  const abort = new AbortController();
  const onInterrupt = () => abort.abort(interrupt.reason);
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  if (interrupt.aborted) onInterrupt();
  let timer: NodeJS.Timeout | undefined;
  let timedOut: AttemptTimeoutError | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      timedOut = new AttemptTimeoutError(`took longer than ${handler.timeoutMs} ms`);
      abort.abort(timedOut);
      reject(timedOut);
    }, handler.timeoutMs);
  });
  try {
    // A handler that throws before it returns a promise fails like any other.
    const run = (async () => handler.handle(notification, { ...context, signal: abort.signal }))();
    await Promise.race([run, timeout]);
    return { state: 'success' };
  } catch (error) {
    if (timedOut) return { state: 'timeout', error: timedOut };
    if (interrupt.aborted) return { state: 'interrupted', error };
    return { state: 'error', error };
  } finally {
    clearTimeout(timer);
    interrupt.removeEventListener('abort', onInterrupt);
  }
}

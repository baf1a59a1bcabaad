import type { Handler, HandlerDefaults, OnExhausted } from './handler.js';

/** A handler with every option filled in: what the pipeline runs. */
export interface ResolvedHandler extends Handler {
  readonly concurrency: number;
  readonly attempts: number;
  /** Milliseconds. */
  readonly backoffMs: number;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly onExhausted: OnExhausted;
}

/** Fills in what a handler leaves open; `onExhausted` is `continue` then. */
export function resolveHandler(handler: Handler, defaults: HandlerDefaults): ResolvedHandler {
  return {
    name: handler.name,
    on: handler.on,
    concurrency: handler.concurrency ?? defaults.concurrency,
    attempts: handler.attempts ?? defaults.attempts,
    backoffMs: handler.backoffMs ?? defaults.backoffMs,
    timeoutMs: handler.timeoutMs ?? defaults.timeoutMs,
    onExhausted: handler.onExhausted ?? 'continue',
    handle: (notification, context) => handler.handle(notification, context),
  };
}

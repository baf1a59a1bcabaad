import { setTimeout as realPause } from 'node:timers/promises';
import type { HandlingReport } from './handling-report.js';

const LOOK_EVERY_MS = 50;

/**
 * Resolves when no handler that records has anything left to handle, or when no record came for `quietMs` real ms: what
 * is missing then is lost.
 */
export async function untilHandled(
  report: () => HandlingReport[],
  quietMs: number,
  signal?: AbortSignal,
): Promise<void> {
  let recorded = -1;
  let since = performance.now();
  while (!signal?.aborted) {
    const handlers = report();
    if (handlers.every((handler) => handler.lost === 0)) return;
    const now = handlers.reduce((sum, handler) => sum + handler.recorded, 0);
    if (now !== recorded) since = performance.now();
    else if (performance.now() - since >= quietMs) return;
    recorded = now;
    await realPause(LOOK_EVERY_MS);
  }
}

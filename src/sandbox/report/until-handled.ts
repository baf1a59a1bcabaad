import { setTimeout as realPause } from 'node:timers/promises';
import type { HandlingReport } from './handling-report.js';

const LOOK_EVERY_MS = 50;
/** A look goes through the whole run; the machine is for those who handle it. */
const PAUSE_PER_LOOK = 10;

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
    const lookedAt = performance.now();
    const handlers = report();
    if (handlers.every((handler) => handler.lost === 0)) return;
    const tookMs = performance.now() - lookedAt;
    const now = handlers.reduce((sum, handler) => sum + handler.recorded, 0);
    if (now !== recorded) since = performance.now();
    else if (performance.now() - since >= quietMs) return;
    recorded = now;
    await realPause(Math.max(LOOK_EVERY_MS, tookMs * PAUSE_PER_LOOK));
  }
}

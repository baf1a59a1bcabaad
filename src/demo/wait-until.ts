import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Resolves true once `condition` holds, false when it did not within `deadlineMs`; rejects when the signal is aborted. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal },
): Promise<boolean> {
  for (const deadline = performance.now() + deadlineMs; ; await wait(PAUSE_MS)) {
    // The reason says why, where a timer's own error would not.
    signal.throwIfAborted();
    if (await condition()) return true;
    if (performance.now() > deadline) return false;
  }
}

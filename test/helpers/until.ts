import { setTimeout as wait } from 'node:timers/promises';

/**
 * Resolves with what `condition` gives once that is truthy; rejects at the deadline, with what was last seen.
 * Tests wait for conditions with it, never for time.
 */
export async function until<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  { deadlineMs = 15_000 }: { deadlineMs?: number } = {},
): Promise<Exclude<Value, false | null | undefined | 0 | ''>> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<Value, false | null | undefined | 0 | ''>;
    if (Date.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await wait(5);
  }
}

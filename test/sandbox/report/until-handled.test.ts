import { describe, expect, it } from '@jest/globals';
import type { HandlingReport } from '../../../src/sandbox/report/handling-report.js';
import { untilHandled } from '../../../src/sandbox/report/until-handled.js';

const of = (recorded: number, lost: number) => [{ recorded, lost }] as HandlingReport[];

describe('waiting for what is handled', () => {
  it('leaves the machine to those who handle, however long a look takes', async () => {
    const startedAt = performance.now();
    let [looks, lookedMs] = [0, 0];
    await untilHandled(() => {
      const since = performance.now();
      while (performance.now() - since < 25);
      lookedMs += performance.now() - since;
      looks += 1;
      return of(looks, looks < 5 ? 1 : 0);
    }, 10_000);
    expect(lookedMs).toBeLessThan((performance.now() - startedAt) / 5);
  });

  it('ends at once where nothing is lost, and when nothing more comes', async () => {
    await untilHandled(() => of(18, 0), 10_000);
    let looks = 0;
    await untilHandled(() => {
      looks += 1;
      return of(17, 1);
    }, 20);
    expect(looks).toBeGreaterThan(1);
  });

  it('ends when the sandbox is closed', async () => {
    const closing = new AbortController();
    const waiting = untilHandled(() => of(0, 1), 60_000, closing.signal);
    closing.abort();
    await waiting;
  });
});

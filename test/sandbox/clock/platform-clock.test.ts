import { describe, expect, it } from '@jest/globals';
import { createPlatformClock } from '../../../src/sandbox/clock/platform-clock.js';

describe('createPlatformClock', () => {
  it('waits as much less as it is faster, and stamps in real time', async () => {
    const clock = createPlatformClock(1_000);
    const realStart = Date.now();
    const start = clock.now();
    await new Promise<void>((resolve) => void clock.after(25_000, resolve));
    const realMs = Date.now() - realStart;
    expect(clock.now() - start).toBeGreaterThanOrEqual(24_000);
    expect(realMs).toBeLessThan(2_000);
    expect(Math.abs(clock.stamp() - Date.now())).toBeLessThan(100);
    clock.stop();
  });

  it('runs nothing once stopped', async () => {
    const clock = createPlatformClock(1_000);
    let ran = false;
    clock.after(1_000, () => {
      ran = true;
    });
    clock.stop();
    clock.after(1_000, () => {
      ran = true;
    });
    const after = createPlatformClock(1_000);
    await new Promise<void>((resolve) => void after.after(20_000, resolve));
    expect(ran).toBe(false);
  });
});

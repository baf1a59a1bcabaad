import { setTimeout as realPause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '../../../src/sandbox/clock/manual-clock.js';

describe('createManualClock', () => {
  it('runs what falls due in the order of time, each at its own', async () => {
    const clock = createManualClock();
    const ran: string[] = [];
    clock.after(20, () => ran.push(`second at ${clock.now()}`));
    clock.after(10, () => {
      ran.push(`first at ${clock.now()}`);
      clock.after(5, () => ran.push(`between at ${clock.now()}`));
    });
    clock.after(31, () => ran.push('too late'));
    await clock.advance(30);
    expect(ran).toEqual(['first at 10', 'between at 15', 'second at 20']);
    expect(clock.now()).toBe(30);
  });

  it('lets no time pass while something is underway', async () => {
    const clock = createManualClock();
    let ended: number | undefined;
    clock.after(10, () => clock.during(realPause(20).then(() => (ended = clock.now()))));
    clock.after(11, () => {});
    await clock.advance(100);
    expect(ended).toBe(10);
  });

  it('runs until what it is to run for has come, and no further', async () => {
    const clock = createManualClock();
    const done = new Promise<string>((resolve) => void clock.after(10, () => clock.after(20, () => resolve('done'))));
    clock.after(31, () => {});
    expect(await clock.runUntil(done)).toBe('done');
    expect(clock.now()).toBe(30);
    await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow('the clock has no timer left');
  });

  it('runs nothing that was cancelled, and nothing once stopped', async () => {
    const clock = createManualClock();
    const ran: string[] = [];
    clock.after(1, () => ran.push('cancelled'))();
    clock.after(2, () => ran.push('stopped'));
    clock.stop();
    await clock.advance(10);
    expect(ran).toEqual([]);
  });
});

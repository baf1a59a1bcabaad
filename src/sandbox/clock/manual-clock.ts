import { setImmediate as turn } from 'node:timers/promises';
import type { PlatformClock } from './platform-clock.js';

/** A clock that stands still until it is moved: hours of the platform's schedule in a test of milliseconds. */
export interface ManualClock extends PlatformClock {
  /**
   * Moves on by `ms`, stopping at every timer on the way: what falls due runs, and time waits until it is done (a request
   * that is sent then is answered then).
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves on from timer to timer until a promise is settled, and gives what it is settled with.
   *
   * @throws Error where no timer is left and it is still not settled
   */
  runUntil<Result>(done: Promise<Result>): Promise<Result>;
}

/** @param stamp what `stamp()` gives; default the real time */
export function createManualClock(stamp: () => number = Date.now): ManualClock {
  const timers = new Set<{ at: number; run: () => void }>();
  const underway = new Set<Promise<unknown>>();
  let now = 0;

  /** Until everything that began is done; a turn of the event loop lets what follows from it begin. */
  async function rest(): Promise<void> {
    await turn();
    while (underway.size > 0) {
      await Promise.allSettled(underway);
      await turn();
    }
  }

  function nextAt(): number {
    return [...timers].reduce((least, timer) => Math.min(least, timer.at), Number.POSITIVE_INFINITY);
  }

  /** Moves on to the next timer, and runs all that are due then. */
  async function step(): Promise<void> {
    now = Math.max(now, nextAt());
    for (const timer of [...timers].filter((one) => one.at <= now)) {
      timers.delete(timer);
      timer.run();
    }
    await rest();
  }

  return {
    speed: 1,
    now: () => now,
    stamp,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    during(work) {
      underway.add(work);
      const forget = () => void underway.delete(work);
      work.then(forget, forget);
    },
    stop: () => timers.clear(),
    async advance(ms) {
      const until = now + ms;
      await rest();
      while (nextAt() <= until) await step();
      now = until;
    },
    async runUntil(done) {
      let settled = false;
      const settle = () => {
        settled = true;
      };
      done.then(settle, settle);
      for (await rest(); !settled; await step()) {
        if (timers.size === 0) throw new Error('the clock has no timer left, and what it runs for has not come');
      }
      return done;
    },
  };
}

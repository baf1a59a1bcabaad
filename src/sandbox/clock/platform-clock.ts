/** Undoes what it came with: a timer, a subscription. May be called twice. */
export type Cancel = () => void;

/** The time of the platform: what it waits by, and what it stamps with. */
export interface PlatformClock {
  /** Milliseconds of the platform in a real millisecond. */
  readonly speed: number;
  /** Milliseconds of the platform since the clock was made. */
  now(): number;
  /**
   * Milliseconds since the epoch, for what is stamped and for the expiry of tokens. Real time, whatever the speed: those
   * who read a stamp compare it with a clock of their own.
   */
  stamp(): number;
  /** Runs something once, `ms` platform milliseconds from now. */
  after(ms: number, run: () => void): Cancel;
  /** Names work that began at this instant of platform time; a clock that is moved by hand waits for it. */
  during(work: Promise<unknown>): void;
  /** Cancels every timer; from then on nothing runs. */
  stop(): void;
}

/** A longer timer of Node's would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A clock that runs `speed` times as fast as the real one. */
export function createPlatformClock(speed = 1): PlatformClock {
  const startedAt = performance.now();
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  return {
    speed,
    now: () => (performance.now() - startedAt) * speed,
    stamp: Date.now,
    after(ms, run) {
      if (stopped) return () => {};
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          run();
        },
        Math.min(ms / speed, LONGEST_MS),
      );
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer);
      };
    },
    during() {},
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

import { streamOf } from './expect-arrivals.js';
import { AWAY, REFUSED } from './plan.js';
import type { Arrival } from './systems.js';

/** The faults of the systems behind the handlers. */
export interface Trouble {
  /** With what status an attempt is answered, after those that came before. */
  answer(attempt: Omit<Arrival, 'status'>, before: readonly Arrival[]): number;
  /** From here on nothing is refused. */
  mend(): void;
}

export function createTrouble(): Trouble {
  let isMended = false;
  return {
    answer({ handler, notification }, before) {
      const stream = streamOf(notification);
      if (handler === AWAY.handler && stream === AWAY.stream) {
        if (before.filter(({ status }) => status === 503).length < AWAY.attempts) return 503;
      }
      const isRefused = handler === REFUSED.handler && stream === REFUSED.stream && notification.what === REFUSED.what;
      return isRefused && !isMended ? 422 : 200;
    },
    mend() {
      isMended = true;
    },
  };
}

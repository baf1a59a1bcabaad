/**
 * Bounds what a receiver has at hand: authentic notifications that wait for the intake, and bytes of bodies. Requests that
 * are still being read count by their bytes alone, so that slow senders nobody knows cannot take the places of real ones.
 */
export interface OverloadGuard {
  /** Whether a new request should be turned away at once. */
  isFull(): boolean;
  /** Takes a place for a notification on its way into the intake; false when there is none. */
  enter(): boolean;
  leave(): void;
  /** Counts bytes of a body; false when they are too many, and then they are not counted. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
}

export function createOverloadGuard(limits: { maxInFlight: number; maxBufferedBytes: number }): OverloadGuard {
  let inFlight = 0;
  let bufferedBytes = 0;
  return {
    isFull: () => inFlight >= limits.maxInFlight || bufferedBytes >= limits.maxBufferedBytes,
    enter: () => {
      if (inFlight >= limits.maxInFlight) return false;
      inFlight += 1;
      return true;
    },
    leave: () => {
      inFlight -= 1;
    },
    hold: (bytes) => {
      if (bufferedBytes + bytes > limits.maxBufferedBytes) return false;
      bufferedBytes += bytes;
      return true;
    },
    release: (bytes) => {
      bufferedBytes -= bytes;
    },
  };
}

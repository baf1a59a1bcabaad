import type { Logger } from 'pino';

/** Cleanups, registered where a resource is made; run once, the last first. */
export interface Releasers {
  add(what: string, release: () => unknown): void;
  releaseAll(): Promise<void>;
}

/** A cleanup that fails is logged, and does not keep the others from running. */
export function createReleasers(log: Logger): Releasers {
  const stack: { what: string; release: () => unknown }[] = [];
  return {
    add: (what, release) => void stack.push({ what, release }),
    async releaseAll() {
      for (let last = stack.pop(); last; last = stack.pop()) {
        log.debug({ what: last.what }, 'closing');
        try {
          await last.release();
        } catch (err) {
          log.warn({ err, what: last.what }, 'could not be closed');
        }
      }
    },
  };
}

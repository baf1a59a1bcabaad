import type { Queue } from 'bullmq';
import type { ResolvedHandler } from '../handlers/resolve-handler.js';
import { type Dispatcher, retryFinished } from './dispatch.js';
import { discardOlder, removeInvalidOlder } from './failed-retention.js';
import type { Queues } from './queues.js';
import type { Scripts } from './scripts.js';

export interface SweeperOptions {
  handlers: readonly ResolvedHandler[];
  scripts: Scripts;
  queues: Queues;
  dispatch: Dispatcher;
  /** How long a failed delivery is kept, seconds. */
  failedRetentionS: number;
  onError: (error: Error) => void;
  /** How often lanes are looked at, ms; default 5,000. */
  intervalMs?: number;
}

/** A lane whose head was chosen this long ago is looked at: time enough for a dispatch that is under way. */
const CHOSEN_AGO_MS = 5000;
const LANES_AT_ONCE = 500;
const RETENTION_INTERVAL_MS = 600_000;

/**
 * Finds what a death in the wrong moment left behind, in the lanes of this worker's handlers: a delivery in flight without
 * its job. Also ends what was kept for its time. Any number of workers may sweep.
 */
export function startSweeper(options: SweeperOptions): { stop(): void } {
  const { handlers, scripts, queues, dispatch, onError, intervalMs = 5000 } = options;
  let stopped = false;
  let retentionDueAt = 0;

  async function sweepLanes({ name, onExhausted }: ResolvedHandler): Promise<void> {
    const chosenBefore = Date.now() - CHOSEN_AGO_MS;
    const park = onExhausted === 'park';
    await dispatch(await scripts.sweep(name, { chosenBefore, limit: LANES_AT_ONCE, park }));
  }

  async function endRetention(): Promise<void> {
    if (Date.now() < retentionDueAt) return;
    retentionDueAt = Date.now() + RETENTION_INTERVAL_MS;
    const finishedBefore = Date.now() - options.failedRetentionS * 1000;
    for (const { name } of handlers) await discardOlder(options, name, finishedBefore);
    await removeInvalidOlder(queues.notifications(), finishedBefore);
    await retryCrashed(queues.notifications());
  }

  async function sweep(): Promise<void> {
    for (const handler of handlers) if (!stopped) await sweepLanes(handler);
    if (!stopped) await endRetention();
  }

  let running = false;
  const timer = setInterval(async () => {
    // While Redis is away a sweep waits for it; the next ones have nothing to add.
    if (running) return;
    running = true;
    await sweep().catch(onError);
    running = false;
  }, intervalMs);
  return {
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}

/** Notifications that BullMQ failed for reasons of its own, none of them invalid: they have yet to be released. */
async function retryCrashed(queue: Queue): Promise<void> {
  for (const job of await queue.getFailed(0, 999)) {
    if (job?.id && !('invalid' in job.data)) await retryFinished(queue, job.id, 'failed');
  }
}

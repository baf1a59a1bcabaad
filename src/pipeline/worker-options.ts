import type { WorkerOptions } from 'bullmq';

/** A worker that says nothing for this long has died; it renews its locks at half of it. */
const LOCK_MS = 5000;
const STALLED_CHECK_MS = 1000;
/** After an error of the connection: look again this soon. */
const LOOK_AGAIN_MS = 1000;

/**
 * What all BullMQ workers here share: a delivery whose worker was killed runs again within `LOCK_MS` and two checks, not
 * BullMQ's half minute.
 */
export const SHARED_WORKER_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: STALLED_CHECK_MS,
  runRetryDelay: LOOK_AGAIN_MS,
} as const satisfies Partial<WorkerOptions>;

/** A delivery that took its worker down this often is failed: else it would do so for ever. */
export const MOST_CRASHES = 50;

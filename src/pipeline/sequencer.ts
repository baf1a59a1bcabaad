import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { readNotification } from '../protocol/read-notification.js';
import type { Dispatcher } from './dispatch.js';
import type { PipelineObserver } from './observer.js';
import type { Scripts } from './scripts.js';
import { type StoredInvalid, type StoredNotification, storeNotification } from './stored-notification.js';

export interface SequencerOptions {
  scripts: Scripts;
  dispatch: Dispatcher;
  /** How long a notification waits for earlier ones of its stream, ms. */
  reorderWindowMs: number;
  /** How long it waits when the stream's `started` has not been seen, ms. */
  reorderMissingStartMs: number;
  /** How long a notification is kept once handled, seconds. */
  eventRetentionS: number;
  observer: PipelineObserver;
}

/** A stream may be silent for days between its start and its end. */
const LEAST_STREAM_RETENTION_S = 7 * 86_400;

/**
 * Processes the queue `notifications`: when a hold ends, everything of the stream up to this notification goes, in order,
 * into the lanes. Any number may run, and any number of times.
 */
export function createSequencer(options: SequencerOptions) {
  const { scripts, dispatch, reorderWindowMs, reorderMissingStartMs, observer } = options;
  const streamRetentionS = Math.max(options.eventRetentionS, LEAST_STREAM_RETENTION_S);

  return async (job: Job<StoredNotification | StoredInvalid>, token?: string): Promise<void> => {
    const id = job.id as string;
    const stored = 'invalid' in job.data ? await readAgain(job, id) : job.data;
    const { kind, stream, receivedAt } = stored;
    const startMissedAt = receivedAt + reorderMissingStartMs;
    const mode = stored.alone ? 'alone' : Date.now() >= startMissedAt ? 'go' : 'wait';
    const release = await scripts.release({
      id,
      kind,
      stream,
      score: stored.score,
      mode,
      reorderWindowMs,
      streamRetentionS,
    });
    if (release.state === 'wait') {
      // A start that comes meanwhile takes it along; then nothing is left to do at this time.
      await job.moveToDelayed(startMissedAt, token);
      throw new DelayedError();
    }
    await dispatch(release.dispatch);
    observer.released({ kind, heldMs: Math.max(0, release.releasedAt - receivedAt) });
  };
}

/** A body that was no notification may be one for this version, when it is replayed after an update. */
async function readAgain(job: Job<StoredNotification | StoredInvalid>, id: string): Promise<StoredNotification> {
  const { bytes, receivedAt } = job.data as StoredInvalid;
  const body = Buffer.from(bytes, 'base64');
  const read = readNotification(body);
  if (!read.valid) throw new UnrecoverableError(read.problem);
  const stored = storeNotification(id, read.notification, body, receivedAt);
  await job.updateData(stored);
  return stored;
}

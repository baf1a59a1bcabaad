import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { isPermanentError } from '../handlers/errors.js';
import type { ResolvedHandler } from '../handlers/resolve-handler.js';
import type { Notification } from '../protocol/notification.js';
import { type AttemptResult, runAttempt } from './attempt.js';
import { createReport, type PipelineLog, type Run } from './attempt-report.js';
import { AttemptFailedError, messageOf, waitAfter } from './back-off.js';
import type { Dispatcher } from './dispatch.js';
import { insist } from './insist.js';
import type { PipelineObserver } from './observer.js';
import type { DeliveryJob } from './queues.js';
import type { Outcome, Scripts } from './scripts.js';
import type { StoredNotification } from './stored-notification.js';

export interface DeliveryOptions {
  handler: ResolvedHandler;
  scripts: Scripts;
  dispatch: Dispatcher;
  observer: PipelineObserver;
  log: PipelineLog;
}

/** When a delivery is tried again that Redis, not its handler, kept from running. */
const REFUSED_WAIT_MS = 1000;

/**
 * Processes a handler's queue. A job claims its lane first: it runs only while it is the delivery in flight. Once it has
 * ended for good the lane advances, what is next is dispatched, and only then is the job finished: whatever dies in
 * between, the job runs again, claims, and finds how far it came.
 */
export function createDelivery(options: DeliveryOptions) {
  const { handler, scripts, dispatch } = options;

  // BullMQ aborts the third argument when the lock is lost, or on `cancelAllJobs` when the process stops.
  return async (job: Job<DeliveryJob>, token: string | undefined, signal: AbortSignal | undefined): Promise<void> => {
    try {
      await deliver(job, token, signal);
    } catch (error) {
      if (isVerdict(error)) throw error;
      // Out of memory, read-only, …: it is run again, and that costs the handler no attempt.
      options.log.debug({ handler: handler.name, id: job.id, err: messageOf(error) }, 'Redis refused');
      await job.moveToDelayed(Date.now() + REFUSED_WAIT_MS, token);
      throw new DelayedError();
    }
  };

  async function deliver(
    job: Job<DeliveryJob>,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const id = job.id as string;
    const { stream } = job.data;
    const interrupt = signal ?? new AbortController().signal;
    const end = async (fence: number, outcome: Outcome): Promise<boolean> => {
      // The handler has run: a hiccup of Redis must not make it run again.
      const advanced = await insist(() => scripts.advance(handler.name, stream, id, fence, outcome), interrupt);
      await insist(() => dispatch(advanced.dispatch), interrupt);
      return !advanced.superseded;
    };

    const claim = await scripts.claim(handler.name, stream, id, token);
    // Whoever finds the job without its lock lets it run anew; here, there is nothing to end.
    if (claim.state === 'lost') throw new DelayedError();
    if (claim.state === 'skip') return dispatch(claim.dispatch);
    if (claim.state === 'exhausted') {
      await dispatch(claim.dispatch);
      throw new UnrecoverableError(claim.reason);
    }
    if (claim.state === 'gone') {
      const reason = 'the notification is no longer in Redis';
      await end(claim.fence, { done: false, park: false, reason });
      throw new UnrecoverableError(reason);
    }

    const failures = job.attemptsMade - claim.attemptsBefore + 1;
    const attempt = job.attemptsMade + 1;
    const startedAt = Date.now();
    const stored = JSON.parse(claim.data) as StoredNotification;
    const result = await attemptOnce(options, { id, stored, claim, attempt }, interrupt);
    const report = createReport(options, job, { stored, claim, attempt, startedAt, result });

    if (result.state === 'interrupted') {
      await report('interrupted');
      // Another worker may have it at once; where the lock was lost, one has it already.
      await job.moveToDelayed(Date.now(), token).catch(() => {});
      throw new DelayedError();
    }
    if (result.state === 'success') {
      const counted = await end(claim.fence, { done: true });
      await report(counted ? 'success' : 'superseded');
      return;
    }
    const lastChance = isPermanentError(result.error) || failures >= handler.attempts;
    if (!lastChance) {
      await report(result.state === 'timeout' ? 'timeout' : 'retry');
      throw new AttemptFailedError(result.error, waitAfter(result.error, failures, handler.backoffMs));
    }
    const park = handler.onExhausted === 'park';
    const counted = await end(claim.fence, { done: false, park, reason: messageOf(result.error) });
    await report(counted ? 'failed' : 'superseded');
    throw new AttemptFailedError(result.error, undefined);
  }
}

/** What is thrown to tell BullMQ what becomes of the job; anything else is a mishap. */
function isVerdict(error: unknown): boolean {
  return error instanceof AttemptFailedError || error instanceof UnrecoverableError || error instanceof DelayedError;
}

function attemptOnce(
  { handler, log }: DeliveryOptions,
  { id, stored, claim, attempt }: { id: string; stored: StoredNotification; claim: Run; attempt: number },
  interrupt: AbortSignal,
): Promise<AttemptResult> {
  const context = {
    id,
    attempt,
    receivedAt: new Date(stored.receivedAt),
    late: claim.late,
    replayed: claim.replays > 0,
    fence: claim.fence,
    log: log.child({ handler: handler.name, stream: stored.stream, id, attempt }),
  };
  return runAttempt(handler, JSON.parse(stored.body) as Notification, context, interrupt);
}

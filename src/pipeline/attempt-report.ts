import type { Job } from 'bullmq';
import type { HandlerLog } from '../handlers/handler.js';
import type { AttemptResult } from './attempt.js';
import { recordAttempt } from './attempt-log.js';
import { messageOf } from './back-off.js';
import type { AttemptOutcome, PipelineObserver } from './observer.js';
import type { DeliveryJob } from './queues.js';
import type { Claim } from './scripts.js';
import type { StoredNotification } from './stored-notification.js';

/** A logger that makes children; pino's fit. */
export interface PipelineLog extends HandlerLog {
  child(fields: object): PipelineLog;
}

/** A claim that was granted. */
export type Run = Extract<Claim, { state: 'run' }>;

/** One line per attempt, and its metrics; a history where it is of use: after a failure, or for a replay. */
export function createReport(
  { handler, observer, log }: { handler: { name: string }; observer: PipelineObserver; log: PipelineLog },
  job: Job<DeliveryJob>,
  run: { stored: StoredNotification; claim: Run; attempt: number; startedAt: number; result: AttemptResult },
) {
  const { stored, claim, attempt, startedAt, result } = run;
  const durationMs = Date.now() - startedAt;
  const replayed = claim.replays > 0;
  return async (outcome: AttemptOutcome): Promise<void> => {
    observer.attempted({ handler: handler.name, outcome, durationMs, late: claim.late, replayed });
    const fields = {
      handler: handler.name,
      stream: job.data.stream,
      id: job.id,
      kind: stored.kind,
      attempt,
      outcome,
      durationMs,
      late: claim.late,
      replayed,
      ...(result.state === 'success' ? {} : { error: messageOf(result.error) }),
    };
    if (outcome === 'success') log.info(fields, 'attempt');
    else if (outcome === 'failed') log.error(fields, 'attempt');
    else log.warn(fields, 'attempt');
    if (result.state === 'interrupted' || (result.state === 'success' && attempt === 1)) return;
    const record = {
      attempt,
      startedAt: new Date(startedAt).toISOString(),
      durationMs,
      outcome: result.state,
      ...(result.state === 'success' ? {} : { error: messageOf(result.error) }),
      replayed,
    };
    // The history is for people: the delivery does not depend on it.
    await recordAttempt(job, record).catch((error: Error) =>
      log.warn({ id: job.id, err: error.message }, 'no history'),
    );
  };
}

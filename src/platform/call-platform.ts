import type { Failure, PlatformResult, RetryNotice } from './platform-error.js';
import { readAnswer, type SuccessReader } from './read-answer.js';
import { createRetrySchedule, type RetryOptions } from './retry-schedule.js';
import { type AttemptLimits, aborted, type PlatformRequest, sendAttempt } from './send-attempt.js';

/** How every operation reaches the platform. */
export interface Connection {
  limits: AttemptLimits;
  retry: RetryOptions;
  /** Resolves after `ms`; rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** 0 to 1. */
  random(): number;
  onRetry(notice: RetryNotice): void;
}

/** Sends a request until it succeeds, its failure forbids another attempt, attempts are used up, or the signal aborts. */
export async function callPlatform<Result extends object>(
  connection: Connection,
  request: PlatformRequest,
  read: SuccessReader<Result>,
  signal: AbortSignal | undefined,
): Promise<PlatformResult<Result>> {
  const nextWait = createRetrySchedule(connection.retry, connection.random);
  const failed = (failure: Failure, attempts: number): PlatformResult<Result> => ({
    ok: false,
    error: { ...failure, attempts },
  });
  if (signal?.aborted) return failed(aborted(request, signal), 0);
  for (let attempt = 1; ; attempt++) {
    const sent = await sendAttempt(request, connection.limits, signal);
    const outcome = 'answer' in sent ? readAnswer(request, sent.answer, read) : sent;
    if ('result' in outcome) return { ok: true, attempts: attempt, ...outcome.result };
    const { failure } = outcome;
    const waitMs = nextWait(failure.retry);
    if (waitMs === undefined) return failed(failure, attempt);
    connection.onRetry({ operation: request.operation, attempt, waitMs, failure });
    try {
      await connection.sleep(waitMs, signal);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
    if (signal?.aborted) {
      const { message, ...rest } = aborted(request, signal);
      return failed({ ...rest, message: `${message}, after: ${failure.message}` }, attempt);
    }
  }
}

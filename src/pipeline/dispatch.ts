import { ErrorCode, Job } from 'bullmq';
import { attemptLogOptions } from './attempt-log.js';
import type { Queues } from './queues.js';
import type { Dispatch } from './scripts.js';

/** The handler's worker decides when attempts are used up: whoever dispatches need not have the handler. */
const ATTEMPTS = 1_000_000_000;

/**
 * Puts right what a script found missing: adds the job of a delivery in flight, or runs the one again that has finished.
 * May be repeated, and may run beside another for the same delivery: a second add or retry changes nothing, and a job
 * that runs without being in flight finds that out when it claims.
 */
export function createDispatcher(options: { queues: Queues; eventRetentionS: number }) {
  const { queues, eventRetentionS } = options;

  async function dispatchOne({ handler, stream, id, how }: Dispatch): Promise<void> {
    const queue = queues.ofHandler(handler);
    if (how === 'add') {
      await queue.add(
        'delivery',
        { stream },
        {
          jobId: id,
          attempts: ATTEMPTS,
          backoff: { type: 'custom' },
          removeOnComplete: { age: eventRetentionS },
          stackTraceLimit: 1,
          ...attemptLogOptions,
        },
      );
      return;
    }
    const job = await Job.fromId(queue, id);
    await job?.retry(how === 'retry' ? 'failed' : 'completed').catch((error: Error & { code?: number }) => {
      // Somebody else retried it first: it is on its way.
      if (error.code !== ErrorCode.JobNotInState && error.code !== ErrorCode.JobNotExist) throw error;
    });
  }

  return async (dispatches: readonly Dispatch[]): Promise<void> => {
    await Promise.all(dispatches.map(dispatchOne));
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

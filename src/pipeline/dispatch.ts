import { ErrorCode, Job, type Queue } from 'bullmq';
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
    // Where somebody else retried it first, it is on its way.
    await retryFinished(queue, id, how === 'retry' ? 'failed' : 'completed');
  }

  return async (dispatches: readonly Dispatch[]): Promise<void> => {
    await Promise.all(dispatches.map(dispatchOne));
  };
}

/** Lets a finished job run again; false where it is not in that state (any more). */
export async function retryFinished(queue: Queue, id: string, state: 'failed' | 'completed'): Promise<boolean> {
  const job = await Job.fromId(queue, id);
  if (!job) return false;
  try {
    await job.retry(state);
    return true;
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === ErrorCode.JobNotInState || code === ErrorCode.JobNotExist) return false;
    throw error;
  }
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

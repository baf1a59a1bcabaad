import type { Queue } from 'bullmq';
import type { Dispatcher } from './dispatch.js';
import type { Queues } from './queues.js';
import type { Scripts } from './scripts.js';

const AT_ONCE = 1000;

/**
 * Ends failed deliveries of a handler that were kept for their time. Those that hold up a parked stream, or wait for their
 * replay, stay: a person is to decide.
 */
export async function discardOlder(
  { queues, scripts, dispatch }: { queues: Queues; scripts: Scripts; dispatch: Dispatcher },
  handler: string,
  finishedBefore: number,
): Promise<number> {
  const queue = queues.ofHandler(handler);
  let count = 0;
  for (const job of await queue.getJobs(['failed'], 0, AT_ONCE - 1, true)) {
    if (!job?.id || (job.finishedOn ?? Number.POSITIVE_INFINITY) > finishedBefore) continue;
    const { discarded, dispatch: todo } = await scripts.discard(handler, job.data.stream, [job.id], {
      leaveWaiting: true,
    });
    await dispatch(todo);
    for (const id of discarded) count += await queue.remove(id);
  }
  return count;
}

/** Ends bodies that were no notification and were kept for their time. */
export async function removeInvalidOlder(queue: Queue, finishedBefore: number): Promise<number> {
  let count = 0;
  for (const job of await queue.getJobs(['failed'], 0, AT_ONCE - 1, true)) {
    if (job?.id && job.finishedOn && job.finishedOn <= finishedBefore) count += await queue.remove(job.id);
  }
  return count;
}

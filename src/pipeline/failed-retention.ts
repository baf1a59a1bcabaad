import type { Job, Queue } from 'bullmq';
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
  return endOlder(queue, finishedBefore, async (id, job) => {
    const done = await scripts.discard(handler, job.data.stream, [id], { leaveWaiting: true });
    await dispatch(done.dispatch);
    if (done.discarded.length === 0) return false;
    return (await queue.remove(id)) === 1;
  });
}

/** Ends bodies that were no notification and were kept for their time. */
export async function removeInvalidOlder(queue: Queue, finishedBefore: number): Promise<number> {
  return endOlder(queue, finishedBefore, async (id, job) => 'invalid' in job.data && (await queue.remove(id)) === 1);
}

/** Calls `end` for every failed job of that age, the oldest first; it says whether the job is gone. Returns how many are. */
async function endOlder<Data>(
  queue: Queue<Data>,
  finishedBefore: number,
  end: (id: string, job: Job<Data>) => Promise<boolean>,
): Promise<number> {
  let ended = 0;
  // Those that stay come first again on the next page.
  for (let stay = 0; ; ) {
    const jobs = await queue.getJobs(['failed'], stay, stay + AT_ONCE - 1, true);
    const older = jobs.filter((job) => job?.id && job.finishedOn !== undefined && job.finishedOn <= finishedBefore);
    if (older.length === 0) return ended;
    for (const job of older) {
      if (await end(job.id as string, job)) ended++;
      else stay++;
    }
  }
}

import type { Redis } from 'ioredis';
import { handlerQueue, type Keys } from './keys.js';
import type { Queues } from './queues.js';
import { readAliveWorkers, readSubscriptions, type WorkerInfo } from './registry.js';
import type { Scripts } from './scripts.js';

/** A handler as it stands in Redis, and what it has to do. */
export interface HandlerInfo {
  name: string;
  on: string[];
  workers: WorkerInfo[];
  /** Streams with deliveries not yet done. */
  lanes: number;
  failed: number;
}

export interface HandlerAdmin {
  redis: Redis;
  keys: Keys;
  queues: Queues;
  scripts: Scripts;
}

/** Every handler that is registered, with the workers alive for it. */
export async function listHandlers({ redis, keys }: Pick<HandlerAdmin, 'redis' | 'keys'>): Promise<HandlerInfo[]> {
  const [subscriptions, workers] = await Promise.all([readSubscriptions(redis, keys), readAliveWorkers(redis, keys)]);
  return Promise.all(
    [...subscriptions].map(async ([name, on]) => ({
      name,
      on,
      workers: workers.filter(({ handlers }) => handlers.includes(name)),
      lanes: await redis.zcard(keys.lanes(name)),
      failed: await redis.zcard(keys.queue(handlerQueue(name), 'failed')),
    })),
  );
}

/**
 * Unregisters a handler and takes down its lanes and failed deliveries. Returns how many deliveries went with it, or
 * undefined where there is no such handler. A worker that still has it registers it again.
 */
export async function removeHandler(
  { redis, keys, queues, scripts }: HandlerAdmin,
  name: string,
): Promise<{ waiting: number; failed: number } | undefined> {
  // First, so that nothing new comes into its lanes.
  const known = await redis.hdel(keys.handlers, name);
  const queue = queues.ofHandler(name);
  const failed = await discardAllFailed(queue, scripts, name);
  let waiting = 0;
  for (;;) {
    const streams = await redis.zrange(keys.lanes(name), '0', '499');
    if (streams.length === 0) break;
    for (const stream of streams) waiting += await scripts.drop(name, stream);
  }
  await forgetIdleLanes(redis, keys, name);
  await queue.obliterate({ force: true });
  return known === 0 && waiting === 0 && failed === 0 ? undefined : { waiting, failed };
}

/** What lanes without deliveries remember, of which there is no list. */
async function forgetIdleLanes(redis: Redis, keys: Keys, name: string): Promise<void> {
  const pattern = keys.flight(name, '').replace(/[*?[\]\\]/g, '\\$&');
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${pattern}*`, 'COUNT', 1000);
    if (found.length > 0) await redis.unlink(found);
    cursor = next;
  } while (cursor !== '0');
}

async function discardAllFailed(queue: ReturnType<Queues['ofHandler']>, scripts: Scripts, name: string) {
  let count = 0;
  for (;;) {
    const jobs = await queue.getJobs(['failed'], 0, 499, true);
    if (jobs.length === 0) return count;
    for (const job of jobs) {
      if (!job?.id) continue;
      const discarded = await scripts.discard(name, job.data.stream, [job.id], { leaveWaiting: false });
      count += discarded.count;
      await queue.remove(job.id);
    }
  }
}

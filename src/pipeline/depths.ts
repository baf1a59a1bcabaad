import type { Redis } from 'ioredis';
import { handlerQueue, type Keys, NOTIFICATIONS_QUEUE } from './keys.js';
import { readSubscriptions } from './registry.js';

/** How many jobs a queue has in each state. */
export interface QueueDepth {
  queue: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  /** Streams with deliveries not yet done; undefined for the queue of notifications. */
  lanes: number | undefined;
}

/** Depths of all queues, in one round trip after the list of handlers. */
export async function readDepths(redis: Redis, keys: Keys): Promise<QueueDepth[]> {
  const handlers = [...(await readSubscriptions(redis, keys)).keys()];
  const queues = [
    { queue: NOTIFICATIONS_QUEUE, handler: undefined },
    ...handlers.map((handler) => ({ queue: handlerQueue(handler), handler })),
  ];
  const pipeline = redis.pipeline();
  for (const { queue, handler } of queues) {
    pipeline.llen(keys.queue(queue, 'wait'));
    pipeline.llen(keys.queue(queue, 'active'));
    pipeline.zcard(keys.queue(queue, 'delayed'));
    pipeline.zcard(keys.queue(queue, 'failed'));
    pipeline.zcard(keys.lanes(handler ?? ''));
  }
  const counts = ((await pipeline.exec()) ?? []).map(([, count]) => Number(count ?? 0));
  return queues.map(({ queue, handler }, at) => {
    const [waiting = 0, active = 0, delayed = 0, failed = 0, lanes = 0] = counts.slice(at * 5, at * 5 + 5);
    return { queue, waiting, active, delayed, failed, lanes: handler === undefined ? undefined : lanes };
  });
}

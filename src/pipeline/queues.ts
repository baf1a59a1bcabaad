import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { handlerQueue, NOTIFICATIONS_QUEUE } from './keys.js';

/** What a delivery's job carries: its notification lies apart, once for all handlers. */
export interface DeliveryJob {
  stream: string;
}

/** BullMQ's own events; nothing here reads them, so few are kept. */
const EVENTS_KEPT = 1000;

/**
 * The queues of one connection, made on first use. `producer`: the connection fails fast, so nothing is asked of Redis
 * when a queue is made (it may be away), and version and policy are checked elsewhere.
 */
export function createQueues(options: {
  redis: Redis;
  prefix: string;
  producer?: boolean;
  onError: (error: Error) => void;
}) {
  const { redis, prefix, producer = false, onError } = options;
  const queues = new Map<string, Queue>();

  function open(name: string, defaultJobOptions: JobsOptions = {}): Queue {
    const known = queues.get(name);
    if (known) return known;
    const queue = new Queue(name, {
      connection: redis,
      prefix,
      defaultJobOptions,
      skipVersionCheck: producer,
      skipWaitingForReady: producer,
      skipMetasUpdate: producer,
      streams: { events: { maxLen: EVENTS_KEPT } },
    });
    queue.on('error', onError);
    queues.set(name, queue);
    return queue;
  }

  return {
    notifications: () => open(NOTIFICATIONS_QUEUE),
    ofHandler: (handler: string): Queue<DeliveryJob> => open(handlerQueue(handler)),
    async close(): Promise<void> {
      await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
    },
  };
}

export type Queues = ReturnType<typeof createQueues>;

import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { v7 as uuidv7 } from 'uuid';
import type { Subscription } from '../handlers/handler.js';
import type { Keys } from './keys.js';

/** A process that runs handlers. */
export interface WorkerInfo {
  id: string;
  host: string;
  pid: number;
  handlers: string[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  lastSeenAt: number;
}

const HEARTBEAT_MS = 2000;
/** Three heartbeats missed: the worker counts as gone. */
const ALIVE_MS = 3 * HEARTBEAT_MS + 1000;
const FORGET_MS = 86_400_000;

function subscriptionField(on: Subscription): string {
  return on === '*' ? '*' : on.join(',');
}

/**
 * Says in Redis which handlers there are and what they subscribe to, so that every worker fans out alike. From this write
 * on, every notification that is released reaches them.
 */
export async function registerHandlers(
  redis: Redis,
  keys: Keys,
  handlers: readonly { name: string; on: Subscription }[],
): Promise<void> {
  // Redis takes no empty hash; a worker without handlers releases for those of others.
  if (handlers.length === 0) return;
  await redis.hset(keys.handlers, Object.fromEntries(handlers.map(({ name, on }) => [name, subscriptionField(on)])));
}

/** All subscriptions: handler to kinds. */
export async function readSubscriptions(redis: Redis, keys: Keys): Promise<Map<string, string[]>> {
  const all = await redis.hgetall(keys.handlers);
  return new Map(Object.entries(all).map(([name, kinds]) => [name, kinds.split(',')]));
}

/** The workers that gave a sign of life within the last seconds. */
export async function readAliveWorkers(redis: Redis, keys: Keys, now = Date.now()): Promise<WorkerInfo[]> {
  const all = Object.values(await redis.hgetall(keys.workers)).map((json) => JSON.parse(json) as WorkerInfo);
  return all.filter((worker) => now - worker.lastSeenAt <= ALIVE_MS);
}

/**
 * Keeps this worker on the list of those alive. Each beat also registers what is missing again (a Redis restored from an
 * older copy), without touching what a newer worker has registered meanwhile.
 */
export function startHeartbeat(options: {
  redis: Redis;
  keys: Keys;
  handlers: readonly { name: string; on: Subscription }[];
  onError: (error: Error) => void;
}): { stop(): Promise<void> } {
  const { redis, keys, handlers, onError } = options;
  const self = {
    id: uuidv7(),
    host: hostname(),
    pid: process.pid,
    handlers: handlers.map(({ name }) => name),
    startedAt: Date.now(),
  };

  const beat = async () => {
    // While Redis is away nothing is queued up: the next beat says the same.
    if (redis.status !== 'ready') return;
    const pipeline = redis.pipeline();
    pipeline.hset(keys.workers, self.id, JSON.stringify({ ...self, lastSeenAt: Date.now() }));
    for (const { name, on } of handlers) pipeline.hsetnx(keys.handlers, name, subscriptionField(on));
    await pipeline.exec();
  };
  const forgetOthers = async () => {
    const all = await redis.hgetall(keys.workers);
    const gone = Object.entries(all)
      .filter(([, json]) => Date.now() - (JSON.parse(json) as WorkerInfo).lastSeenAt > FORGET_MS)
      .map(([id]) => id);
    if (gone.length > 0) await redis.hdel(keys.workers, ...gone);
  };

  beat().then(forgetOthers).catch(onError);
  const timer = setInterval(() => beat().catch(onError), HEARTBEAT_MS);
  return {
    async stop() {
      clearInterval(timer);
      if (redis.status === 'ready') await redis.hdel(keys.workers, self.id).catch(onError);
    },
  };
}

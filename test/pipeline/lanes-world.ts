import type { Redis } from 'ioredis';
import { createKeys, handlerQueue, type Keys } from '../../src/pipeline/keys.js';
import { createQueues, type Queues } from '../../src/pipeline/queues.js';
import { createScripts, type Dispatch, type Scripts } from '../../src/pipeline/scripts.js';
import { uniquePrefix } from '../helpers/redis.js';
import { countOf, HANDLERS, type Model, type ModelNotification } from './lanes-model.js';

export const RETENTION = { eventRetentionS: 1000, failedRetentionS: 2000 };
export const WINDOW_MS = 600_000;

/** The real scripts on a real Redis, beside jobs as BullMQ keeps them, but moved by hand. */
export interface World {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly scripts: Scripts;
  readonly queues: Queues;
}

export function createWorld(redis: Redis): World {
  const prefix = uniquePrefix();
  const keys = createKeys(prefix);
  const scripts = createScripts(redis, keys, RETENTION);
  return { redis, keys, scripts, queues: createQueues({ redis, prefix, onError: () => {} }) };
}

const jobKey = ({ keys }: World, handler: string, id: string) => keys.queue(handlerQueue(handler), id);
const setKey = ({ keys }: World, handler: string, set: string) => keys.queue(handlerQueue(handler), set);
export const heldJobKey = ({ keys }: World, id: string) => keys.queue('notifications', id);

export async function putIndex({ redis, keys }: World, one: ModelNotification): Promise<void> {
  await redis.zadd(keys.held(one.stream), one.score, `${one.id}|${one.kind}`);
}

export async function putHeldJob(world: World, { id, kind, stream, score }: ModelNotification): Promise<void> {
  await world.redis.hset(heldJobKey(world, id), { data: JSON.stringify({ kind, stream, score, body: '{}' }) });
}

/** What BullMQ's `add` does, once more too. */
export async function addDelivery(world: World, { handler, stream, id }: Dispatch): Promise<void> {
  const key = jobKey(world, handler, id);
  if ((await world.redis.exists(key)) === 1) return;
  await world.redis.hset(key, { name: 'delivery', data: JSON.stringify({ stream }), opts: '{}', timestamp: '1' });
  await world.redis.rpush(setKey(world, handler, 'wait'), id);
}

/** What BullMQ's `retry` does to a job in that state; nothing to one in another. */
export async function retryDelivery(world: World, { handler, id }: Dispatch, from: 'failed' | 'completed') {
  if ((await world.redis.zrem(setKey(world, handler, from), id)) === 0) return;
  await world.redis.rpush(setKey(world, handler, 'wait'), id);
}

/** What BullMQ does when a run has ended. */
export async function finishDelivery(world: World, handler: string, id: string, to: 'failed' | 'completed') {
  await world.redis.lrem(setKey(world, handler, 'wait'), 1, id);
  await world.redis.hincrby(jobKey(world, handler, id), 'atm', 1);
  await world.redis.zadd(setKey(world, handler, to), Date.now(), id);
}

/** What BullMQ does to a job that took its worker down once more than it may: `defa` is gone again, once it has failed. */
export async function crashDelivery(world: World, handler: string, id: string, reason: string, crashes: number) {
  await world.redis.hset(jobKey(world, handler, id), { stc: crashes, failedReason: reason });
  await finishDelivery(world, handler, id, 'failed');
}

export async function removeDelivery(world: World, handler: string, id: string): Promise<void> {
  await world.redis.zrem(setKey(world, handler, 'failed'), id);
  await world.redis.del(jobKey(world, handler, id));
}

const sorted = (values: Iterable<string>) => [...values].sort();
const byScore = ([a, scoreA]: [string, number], [b, scoreB]: [string, number]) => scoreA - scoreB || (a < b ? -1 : 1);

interface State {
  lanes: Record<string, unknown>;
  held: Record<string, unknown>;
  notifications: Record<string, unknown>;
  chosen: Record<string, unknown>;
}

/** Everything the scripts keep, as it should be. */
export function expectedState(model: Model): State {
  const state: State = { lanes: {}, held: {}, notifications: {}, chosen: {} };
  for (const { handler, stream, entries, inFlight, fence, parked, last } of model.lanes.values()) {
    const waiting = [...entries].sort(byScore).map(([id, score]) => `${id} ${score}`);
    const expires = last !== undefined && entries.size === 0;
    state.lanes[`${handler} ${stream}`] = { waiting, inFlight, fence, parked, last, expires };
  }
  for (const { id, stream, kept } of model.notifications.values()) {
    const indexed = [...model.notifications.values()].filter((one) => one.stream === stream && one.indexed);
    state.held[stream] = sorted(indexed.map((one) => one.id));
    const { pending, failed } = countOf(model, id);
    const keptForS = failed > 0 ? RETENTION.failedRetentionS + 86_400 : RETENTION.eventRetentionS;
    state.notifications[id] = kept ? { pending, failed, keptForS: pending > 0 ? undefined : keptForS } : 'gone';
  }
  for (const handler of HANDLERS) {
    const lanes = [...model.lanes.values()].filter((lane) => lane.handler === handler && lane.entries.size > 0);
    state.chosen[handler] = sorted(lanes.map(({ stream }) => stream));
  }
  return state;
}

/** Everything the scripts keep, as it is. */
export async function actualState({ redis, keys }: World, model: Model): Promise<State> {
  const lanes = [...model.lanes.values()];
  const notifications = [...model.notifications.values()];
  const pipeline = redis.pipeline();
  for (const { handler, stream } of lanes) {
    pipeline.zrange(keys.lane(handler, stream), '0', '-1', 'WITHSCORES');
    pipeline.hgetall(keys.flight(handler, stream));
    pipeline.ttl(keys.flight(handler, stream));
  }
  for (const { id, stream } of notifications) {
    pipeline.hmget(keys.notification(id), 'data', 'pending', 'failed');
    pipeline.ttl(keys.notification(id));
    pipeline.zrange(keys.held(stream), '0', '-1');
  }
  for (const handler of HANDLERS) pipeline.zrange(keys.lanes(handler), '0', '-1');
  const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  const next = <Reply>() => replies.shift() as Reply;

  const state: State = { lanes: {}, held: {}, notifications: {}, chosen: {} };
  for (const { handler, stream } of lanes) {
    const members = next<string[]>();
    const flight = next<Record<string, string>>();
    const ttl = next<number>();
    state.lanes[`${handler} ${stream}`] = {
      waiting: members.flatMap((id, at) => (at % 2 === 0 ? [`${id} ${members[at + 1]}`] : [])),
      inFlight: flight.id,
      fence: flight.fence === undefined ? undefined : Number(flight.fence),
      parked: flight.parked !== undefined,
      last: flight.last === undefined ? undefined : Number(flight.last),
      expires: ttl > 0,
    };
  }
  for (const { id, stream } of notifications) {
    const [data, pending, failed] = next<(string | null)[]>();
    const ttl = next<number>();
    state.held[stream] = sorted(next<string[]>().map((member) => member.slice(0, 36)));
    const keptForS = ttl === -1 ? undefined : roundUp(ttl);
    state.notifications[id] = data ? { pending: Number(pending), failed: Number(failed), keptForS } : 'gone';
  }
  for (const handler of HANDLERS) state.chosen[handler] = sorted(next<string[]>());
  return state;
}

/** A time to live has begun to pass already. */
function roundUp(seconds: number): number {
  const all = [RETENTION.eventRetentionS, RETENTION.failedRetentionS + 86_400];
  return all.find((whole) => seconds <= whole && seconds > whole - 100) ?? seconds;
}

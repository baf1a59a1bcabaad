import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { v7 as uuidv7 } from 'uuid';
import { score } from '../../src/pipeline/score.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import type { ModelNotification } from './lanes-model.js';
import * as jobs from './lanes-world.js';
import { createWorld, WINDOW_MS, type World } from './lanes-world.js';

/** What the scripts owe in situations that take several mishaps at once; the model reaches them only now and then. */

let server: TestRedis;
let redis: Redis;
let world: World;
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: 'no' });
  redis = new Redis(server.options);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  world = createWorld(redis);
  await redis.hset(world.keys.handlers, 'all', '*');
});

const FAILED = { done: false, park: false, reason: 'failed for good' } as const;
const PARK = { done: false, park: true, reason: 'failed for good' } as const;

function arrived(kind: string, at: number): ModelNotification {
  const id = uuidv7();
  const state = { alone: false, overdue: false, indexed: true, job: 'held', kept: false, expired: false } as const;
  return { id, kind, stream: 's', score: score(at, kind), ...state };
}

async function put(one: ModelNotification): Promise<ModelNotification> {
  await jobs.putIndex(world, one);
  await jobs.putHeldJob(world, one);
  return one;
}

/** Its own job releases it, and is removed as BullMQ does. */
async function release({ id, kind, stream, score: at }: ModelNotification) {
  const own = { id, kind, stream, score: at, mode: 'go', reorderWindowMs: WINDOW_MS, streamRetentionS: 1000 } as const;
  const released = await world.scripts.release(own);
  await redis.del(jobs.heldJobKey(world, id));
  if (released.state === 'wait') throw new Error('expected a release');
  return released.dispatch;
}

const inLane = () => redis.zrange(world.keys.lane('all', 's'), '0', '-1');
const delivery = ({ id }: { id: string }) => ({ handler: 'all', stream: 's', id, how: 'add' as const });

async function claim({ id }: { id: string }): Promise<number> {
  const claimed = await world.scripts.claim('all', 's', id);
  if (claimed.state !== 'run') throw new Error(`expected a run, got ${claimed.state}`);
  return claimed.fence;
}

describe('a release', () => {
  it('takes along one whose job came after an earlier release had passed over its index', async () => {
    const halfWritten = arrived('live', 20);
    await jobs.putIndex(world, halfWritten);
    const [earlier, next] = [arrived('live', 30), arrived('ended', 40)];
    await release(await put(earlier));
    await jobs.putHeldJob(world, halfWritten);
    await release(await put(next));
    expect(await inLane()).toEqual([halfWritten.id, earlier.id, next.id]);
  });

  it('forgets an index without a job once no job can follow', async () => {
    const repeat = { ...arrived('live', 20), id: uuidv7({ msecs: Date.now() - 3_600_000 }) };
    await jobs.putIndex(world, repeat);
    await release(await put(arrived('live', 30)));
    expect(await redis.zcard(world.keys.held('s'))).toBe(0);
  });

  it('passes over one that was released before, though its job was added again long after', async () => {
    const one = await put(arrived('started', 10));
    await release(one);
    await jobs.addDelivery(world, delivery(one));
    await world.scripts.advance('all', 's', one.id, await claim(one), { done: true });
    await jobs.finishDelivery(world, 'all', one.id, 'completed');
    await put(one);
    expect(await release(one)).toEqual([]);
    expect(await inLane()).toEqual([]);
  });

  it('does not take a kind with commas in it for several kinds', async () => {
    await redis.hset(world.keys.handlers, 'all', 'started,ended,live');
    await release(await put(arrived('started,ended', 10)));
    expect(await inLane()).toEqual([]);
    await release(await put(arrived('ended', 20)));
    expect(await inLane()).toHaveLength(1);
  });
});

describe('a lane', () => {
  it('goes on though the job of what is in flight lies completed', async () => {
    const [first, second] = [await put(arrived('started', 10)), await put(arrived('live', 20))];
    await release(second);
    // The first one fails for good and is to be replayed behind the second; a stray retry runs it too early.
    for (const one of [first, second]) await jobs.addDelivery(world, delivery(one));
    await world.scripts.advance('all', 's', first.id, await claim(first), FAILED);
    await jobs.finishDelivery(world, 'all', first.id, 'failed');
    const fence = await claim(second);
    await world.scripts.replay('all', 's', [first]);
    await jobs.retryDelivery(world, delivery(first), 'failed');
    expect(await world.scripts.claim('all', 's', first.id)).toMatchObject({ state: 'skip' });
    await jobs.finishDelivery(world, 'all', first.id, 'completed');
    const advanced = await world.scripts.advance('all', 's', second.id, fence, { done: true });
    expect(advanced.dispatch).toEqual([{ ...delivery(first), how: 'rerun' }]);
  });

  it('lets nobody run whose lock ran out before he asked, and does not count that as a run', async () => {
    const one = await put(arrived('started', 10));
    await release(one);
    await jobs.addDelivery(world, delivery(one));
    const fence = await claim(one);
    const lock = `${world.keys.queue('handler-all', one.id)}:lock`;
    expect(await world.scripts.claim('all', 's', one.id, 'mine')).toEqual({ state: 'lost' });
    await redis.set(lock, 'another');
    expect(await world.scripts.claim('all', 's', one.id, 'mine')).toEqual({ state: 'lost' });
    expect(await world.scripts.advance('all', 's', one.id, fence, { done: true })).toMatchObject({ superseded: false });
    await redis.set(lock, 'mine');
    expect(await world.scripts.claim('all', 's', one.id, 'mine')).toMatchObject({ state: 'skip' });
  });

  it('tells who finds his delivery given up what is next', async () => {
    const [first, second] = [await put(arrived('started', 10)), await put(arrived('live', 20))];
    await release(second);
    await jobs.addDelivery(world, delivery(first));
    await world.scripts.advance('all', 's', first.id, await claim(first), FAILED);
    // The worker died before it could dispatch.
    expect(await world.scripts.claim('all', 's', first.id)).toEqual({
      state: 'exhausted',
      reason: 'failed for good',
      dispatch: [delivery(second)],
    });
  });

  it('is not parked a second time by a run that had parked it before its replay', async () => {
    const one = await put(arrived('started', 10));
    await release(one);
    await jobs.addDelivery(world, delivery(one));
    const fence = await claim(one);
    await world.scripts.advance('all', 's', one.id, fence, PARK);
    await jobs.finishDelivery(world, 'all', one.id, 'failed');
    await world.scripts.replay('all', 's', [one]);
    // Said again: the first answer was lost.
    expect(await world.scripts.advance('all', 's', one.id, fence, PARK)).toEqual({
      superseded: true,
      dispatch: [{ ...delivery(one), how: 'retry' }],
    });
  });
});

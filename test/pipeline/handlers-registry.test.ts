import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { listHandlers, removeHandler } from '../../src/pipeline/handler-admin.js';
import { readAliveWorkers, readSubscriptions, registerHandlers } from '../../src/pipeline/registry.js';
import { notification } from '../helpers/notifications.js';
import { createPipeline, DEFAULTS, recorder, type TestPipeline } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

let server: TestRedis;
let pipeline: TestPipeline;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  pipeline = createPipeline(server, { reorderWindowMs: 20, reorderMissingStartMs: 20 });
  await until('the connections are ready', () => pipeline.producer.status === 'ready');
});
afterEach(() => pipeline.close());

const list = () => listHandlers(pipeline);
const lanesOf = (handler: string) => pipeline.redis.zcard(pipeline.keys.lanes(handler));
const streamsOf = (seen: { notification: { data: { streamId?: string } } }[]) =>
  seen.map(({ notification: n }) => n.data.streamId);

/** Every key of this test's prefix that a word occurs in. */
async function keysWith(word: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await pipeline.redis.scan(cursor, 'MATCH', `${pipeline.prefix}:*${word}*`, 'COUNT', 1000);
    found.push(...keys);
    cursor = next;
  } while (cursor !== '0');
  return found;
}

describe('the list of handlers', () => {
  it('shows each with its kinds, the workers alive for it, its lanes and failures', async () => {
    const [both, one] = [
      recorder('both', { on: ['started', 'ended'], attempts: 1 }, ({ notification: n }) => {
        if (n.data.streamId === 'bad') throw new Error('broken');
      }),
      recorder('one', { onExhausted: 'park', attempts: 1 }, ({ notification: n }) => {
        if (n.data.streamId === 'bad') throw new Error('broken');
      }),
    ];
    const first = await pipeline.startWorker([both.handler, one.handler]);
    await pipeline.startWorker([both.handler]);
    for (const stream of ['good', 'bad']) await pipeline.accept(notification({ stream }));
    const shown = await until('all is done', async () => {
      const all = await list();
      const workers = all.reduce((sum, handler) => sum + handler.workers.length, 0);
      return (
        workers === 3 && both.seen.length + one.seen.length === 4 && all.every(({ failed }) => failed === 1) && all
      );
    });
    expect(shown).toMatchObject([
      { name: 'both', on: ['started', 'ended'], lanes: 0, failed: 1 },
      { name: 'one', on: ['*'], lanes: 1, failed: 1 },
    ]);
    expect(shown.map(({ workers }) => workers.length)).toEqual([2, 1]);
    const [worker] = shown[1]?.workers ?? [];
    expect(worker).toMatchObject({ pid: process.pid, handlers: ['both', 'one'] });
    expect(worker?.startedAt).toBeLessThanOrEqual(worker?.lastSeenAt ?? 0);

    await first.close(1000);
    expect((await list()).map(({ name, workers }) => [name, workers.length])).toEqual([
      ['both', 1],
      ['one', 0],
    ]);
  });

  it('does not count a worker that has been silent for some seconds, and forgets it after a day', async () => {
    const { redis, keys } = pipeline;
    const dead = {
      id: uuidv7(),
      host: 'h',
      pid: 1,
      handlers: ['all'],
      startedAt: 0,
      lastSeenAt: Date.now() - 90_000_000,
    };
    await redis.hset(keys.workers, dead.id, JSON.stringify(dead));
    await pipeline.startWorker([recorder('all').handler]);
    await until('the other one is forgotten', async () => (await redis.hexists(keys.workers, dead.id)) === 0);
    expect(await readAliveWorkers(redis, keys)).toHaveLength(1);
    expect(await readAliveWorkers(redis, keys, Date.now() + 5000)).toHaveLength(1);
    expect(await readAliveWorkers(redis, keys, Date.now() + 10_000)).toHaveLength(0);
  });

  it('is written anew by the heartbeat where Redis has lost it, and left alone where a newer worker has changed it', async () => {
    const { redis, keys } = pipeline;
    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler, recorder('changed').handler]);
    await redis.hdel(keys.handlers, 'all');
    await registerHandlers(redis, keys, [{ name: 'changed', on: ['ended'] }]);
    await until('it is back', async () => (await redis.hexists(keys.handlers, 'all')) === 1);
    expect(await readSubscriptions(redis, keys)).toEqual(
      new Map([
        ['all', ['*']],
        ['changed', ['ended']],
      ]),
    );
    await pipeline.accept(notification());
    await until('it arrived', () => seen.length === 1);
  });
});

describe('a handler', () => {
  it('that no worker has any more keeps its lanes, in order, until a worker has it again', async () => {
    const [stays, leaves] = [recorder('stays'), recorder('leaves')];
    await pipeline.startWorker([stays.handler]);
    const worker = await pipeline.startWorker([leaves.handler]);
    await worker.close(1000);
    for (const what of ['started', 'live', 'ended']) {
      for (const stream of ['a', 'b']) await pipeline.accept(notification({ what, stream }));
    }
    await until('the other handler has them', () => stays.seen.length === 6);
    expect(await lanesOf('leaves')).toBe(2);
    expect(leaves.seen).toEqual([]);
    const back = recorder('leaves');
    await pipeline.startWorker([back.handler]);
    await until('it has them, too', () => back.seen.length === 6);
    for (const stream of ['a', 'b']) {
      const mine = back.seen.filter(({ notification: n }) => n.data.streamId === stream);
      expect(mine.map(({ notification: n }) => n.what)).toEqual(['started', 'live', 'ended']);
    }
  });

  it('that is new gets everything released from its registration on, and nothing of before', async () => {
    const old = recorder('old');
    await pipeline.startWorker([old.handler]);
    await pipeline.accept(notification({ stream: 'before' }));
    await until('it arrived', () => old.seen.length === 1);
    await registerHandlers(pipeline.redis, pipeline.keys, [{ name: 'new', on: '*' }]);
    for (const stream of ['a', 'b', 'c']) await pipeline.accept(notification({ stream }));
    await until('all arrived', () => old.seen.length === 4);
    const late = recorder('new');
    await pipeline.startWorker([late.handler]);
    await until('the new one has them, too', () => late.seen.length === 3);
    expect(streamsOf(late.seen).sort()).toEqual(['a', 'b', 'c']);
  });

  it('whose kinds were changed gets what it has in its lanes, and from then on the kinds it has now', async () => {
    await registerHandlers(pipeline.redis, pipeline.keys, [{ name: 'all', on: ['started'] }]);
    const witness = recorder('witness');
    await pipeline.startWorker([witness.handler]);
    for (const what of ['started', 'ended']) await pipeline.accept(notification({ what }));
    await until('both were released', () => witness.seen.length === 2);
    const { handler, seen } = recorder('all', { on: ['ended'] });
    await pipeline.startWorker([handler]);
    for (const what of ['started', 'ended']) await pipeline.accept(notification({ what, stream: 'next' }));
    await until('what it is to get arrived', () => seen.length === 2 && witness.seen.length === 4);
    expect(seen.map(({ notification: n }) => `${n.what} ${n.data.streamId}`)).toEqual([
      'started stream-1',
      'ended next',
    ]);
  });
});

describe('a worker without handlers', () => {
  it('releases for those that others have', async () => {
    await registerHandlers(pipeline.redis, pipeline.keys, [{ name: 'elsewhere', on: '*' }]);
    await pipeline.startWorker([]);
    const { id } = await pipeline.accept(notification());
    await until('it is in its lane', async () => (await lanesOf('elsewhere')) === 1);
    expect(await pipeline.redis.zrange(pipeline.keys.lane('elsewhere', 'stream-1'), '0', '-1')).toEqual([id]);
  });
});

describe('a handler that is removed', () => {
  it('leaves nothing of itself in Redis, and its notifications in order', async () => {
    const { redis, keys } = pipeline;
    const [gone, stays] = [
      recorder('gone', { attempts: 1 }, ({ notification: n }) => {
        if (n.data.streamId === 'failed') throw new Error('broken');
      }),
      recorder('stays', { attempts: 1 }, ({ notification: n }) => {
        if (n.data.streamId === 'waiting') throw new Error('broken');
      }),
    ];
    await pipeline.startWorker([stays.handler]);
    const worker = await pipeline.startWorker([gone.handler]);
    const done = await pipeline.accept(notification({ stream: 'done' }));
    const failed = await pipeline.accept(notification({ stream: 'failed' }));
    const both = async () => (await pipeline.failed.count({ handler: 'gone' })) === 1 && gone.seen.length === 2;
    await until('one is done and one has failed', both);
    await until('their lanes are empty', async () => (await lanesOf('gone')) === 0);
    await worker.close(1000);
    const waiting = await pipeline.accept(notification({ stream: 'waiting' }));
    await pipeline.accept(notification({ stream: 'waiting', what: 'live' }));
    await until('the other handler has them', () => stays.seen.length === 4);
    await until('they have failed there', async () => (await pipeline.failed.count({ handler: 'stays' })) === 2);
    expect(await lanesOf('gone')).toBe(1);
    expect((await keysWith('gone')).length).toBeGreaterThan(5);

    expect(await removeHandler(pipeline, 'gone')).toEqual({ waiting: 2, failed: 1 });
    expect(await keysWith('gone')).toEqual([]);
    expect((await list()).map(({ name }) => name)).toEqual(['stays']);
    for (const { id } of [done, failed, waiting]) {
      const [pending, failures] = await redis.hmget(keys.notification(id), 'pending', 'failed');
      expect([pending, failures]).toEqual(['0', id === waiting.id ? '1' : '0']);
      const ttl = await redis.ttl(keys.notification(id));
      if (id === waiting.id) expect(ttl).toBeGreaterThan(DEFAULTS.failedRetentionS);
      else expect(ttl).toBeLessThanOrEqual(DEFAULTS.eventRetentionS);
    }
    expect(await removeHandler(pipeline, 'gone')).toBeUndefined();
    expect(await removeHandler(pipeline, 'never was')).toBeUndefined();
    expect(await keysWith('never')).toEqual([]);
  });

  it('takes parked streams, replays that wait, and what runs in this moment with it', async () => {
    const { redis, keys } = pipeline;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { handler, seen } = recorder('gone', { attempts: 1, onExhausted: 'park' }, ({ notification: n }) => {
      if (n.data.streamId === 'parked') throw new Error('broken');
      return gate;
    });
    const worker = await pipeline.startWorker([handler]);
    const parked = await pipeline.accept(notification({ stream: 'parked' }));
    const running = await pipeline.accept(notification({ stream: 'running' }));
    await until('one is parked, one runs', async () => seen.length === 2 && (await pipeline.failed.count()) === 1);
    expect(await removeHandler(pipeline, 'gone')).toEqual({ waiting: 1, failed: 1 });
    open();
    await worker.close(1000);
    await redis.hdel(keys.handlers, 'gone');
    // What the worker itself wrote last: when stalled jobs were looked for, and the queue's own settings.
    const left = (await keysWith('gone')).map((key) => key.slice(keys.queue('handler-gone', '').length));
    expect(left.filter((part) => !['stalled-check', 'stalled', 'events', 'meta', 'marker'].includes(part))).toEqual([]);
    for (const { id } of [parked, running]) {
      expect(await redis.hmget(keys.notification(id), 'pending', 'failed')).toEqual(['0', '0']);
      expect(await redis.ttl(keys.notification(id))).toBeGreaterThan(0);
    }
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { discardOlder, removeInvalidOlder } from '../../src/pipeline/failed-retention.js';
import { notification, verifiedBody } from '../helpers/notifications.js';
import { createPipeline, recorder, type TestPipeline } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

const EVENT_S = 1000;
const FAILED_S = 5000;
const DAY_S = 86_400;

let server: TestRedis;
let pipeline: TestPipeline;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  const settings = { eventRetentionS: EVENT_S, failedRetentionS: FAILED_S };
  pipeline = createPipeline(server, { reorderWindowMs: 20, reorderMissingStartMs: 20, ...settings });
  await until('the connections are ready', () => pipeline.producer.status === 'ready');
});
afterEach(() => pipeline.close());

const ttlOf = (id: string) => pipeline.redis.ttl(pipeline.keys.notification(id));
const failedOf = (handler: string) => pipeline.redis.zcard(pipeline.keys.queue(`handler-${handler}`, 'failed'));
/** Redis has begun to count down. */
const expectAbout = (seconds: number, expected: number) => {
  expect(seconds).toBeLessThanOrEqual(expected);
  expect(seconds).toBeGreaterThan(expected - 60);
};

describe('a notification', () => {
  it('has no time to live before its last handler is done, and that of handled ones from then on', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const [quick, slow] = [recorder('quick'), recorder('slow', {}, () => gate)];
    await pipeline.startWorker([quick.handler, slow.handler]);
    const { id } = await pipeline.accept(notification());
    await until(
      'one is done',
      async () => (await pipeline.redis.hget(pipeline.keys.notification(id), 'pending')) === '1',
    );
    expect(await ttlOf(id)).toBe(-1);
    open();
    await until('both are done', async () => (await ttlOf(id)) > 0);
    expectAbout(await ttlOf(id), EVENT_S);
    await until(
      'its delivery is done',
      async () => (await pipeline.queues.ofHandler('slow').getCompletedCount()) === 1,
    );
    const opts = (await pipeline.queues.ofHandler('slow').getJob(id))?.opts;
    expect(opts?.removeOnComplete).toEqual({ age: EVENT_S });
    expect(await pipeline.queues.notifications().getJob(id)).toBeUndefined();
  });

  it('that nobody subscribes to is kept for that time, too', async () => {
    await pipeline.startWorker([recorder('ends', { on: ['ended'] }).handler]);
    const { id } = await pipeline.accept(notification());
    await until('it was released', async () => (await pipeline.redis.exists(pipeline.keys.notification(id))) === 1);
    expectAbout(await ttlOf(id), EVENT_S);
  });

  it('with a failed delivery is kept a day longer than that delivery, until it is replayed or discarded', async () => {
    let broken = true;
    const { handler, seen } = recorder('all', { attempts: 1 }, () => {
      if (broken) throw new Error('broken');
    });
    await pipeline.startWorker([handler, recorder('fine').handler]);
    const [first, second] = [
      await pipeline.accept(notification()),
      await pipeline.accept(notification({ stream: 'b' })),
    ];
    await until('both have failed', async () => (await failedOf('all')) === 2);
    await until('the other is done', async () => (await ttlOf(first.id)) > 0 && (await ttlOf(second.id)) > 0);
    expectAbout(await ttlOf(first.id), FAILED_S + DAY_S);
    broken = false;
    await pipeline.failed.replay({ ids: [first.id] });
    await until('it was replayed', () => seen.length === 3);
    await until('it is done', async () => (await ttlOf(first.id)) > 0);
    expectAbout(await ttlOf(first.id), EVENT_S);
    expectAbout(await ttlOf(second.id), FAILED_S + DAY_S);
    await pipeline.failed.discard();
    expectAbout(await ttlOf(second.id), EVENT_S);
  });
});

describe('what has failed', () => {
  it('is discarded when its time is over, younger ones are not', async () => {
    const { handler } = recorder('all', { attempts: 1 }, () => {
      throw new Error('broken');
    });
    await pipeline.startWorker([handler]);
    for (const stream of ['a', 'b']) {
      await pipeline.accept(notification({ stream }));
      await until('it has failed', async () => (await pipeline.failed.count({ stream })) === 1);
    }
    const [younger, older] = await pipeline.failed.list();
    const limit = Date.parse(older?.failedAt ?? '');
    expect(await discardOlder(pipeline, 'all', limit - 1)).toBe(0);
    expect(await discardOlder(pipeline, 'all', limit)).toBe(1);
    expect(await pipeline.failed.list()).toEqual([younger]);
    expectAbout(await ttlOf(older?.id ?? ''), EVENT_S);
  });

  it('stays while it parks its stream or waits for its replay, and keeps no younger one from being discarded', async () => {
    const { redis, keys } = pipeline;
    const jobKey = (id: string) => keys.queue('handler-all', id);
    const pipe = redis.pipeline();
    const fail = (id: string, stream: string, at: number) => {
      pipe.hset(jobKey(id), {
        name: 'delivery',
        data: JSON.stringify({ stream }),
        opts: '{}',
        timestamp: 1,
        exhausted: 'x',
      });
      pipe.hset(jobKey(id), 'finishedOn', at);
      pipe.zadd(keys.queue('handler-all', 'failed'), at, id);
    };
    for (let at = 1; at <= 1100; at++) {
      const [id, stream] = [`parked-${at}`, `stream-${at}`];
      fail(id, stream, at);
      pipe.zadd(keys.lane('all', stream), 1, id);
      pipe.hset(keys.flight('all', stream), { id, ...(at % 2 === 0 ? { parked: '1' } : {}) });
    }
    fail('over', 'other', 2000);
    await pipe.exec();
    const dispatched: unknown[] = [];
    const dispatch = async (todo: readonly unknown[]) => void dispatched.push(...todo);
    expect(await discardOlder({ ...pipeline, dispatch }, 'all', 3000)).toBe(1);
    expect(await redis.exists(jobKey('over'))).toBe(0);
    expect(await failedOf('all')).toBe(1100);
    // Those that wait for their replay, and whose retry is missing.
    expect(dispatched).toHaveLength(550);
  });

  it('includes bodies that were no notification, and nothing else that failed in their queue', async () => {
    await pipeline.startWorker([recorder('all').handler]);
    await pipeline.intake.keepInvalid({ body: verifiedBody('no json'), problem: 'no JSON', receivedAt: Date.now() });
    await until('it has failed', async () => (await pipeline.failed.count()) === 1);
    const queue = pipeline.queues.notifications();
    const failed = pipeline.keys.queue('notifications', 'failed');
    const crashed = pipeline.keys.queue('notifications', 'crashed');
    await pipeline.redis.hset(crashed, {
      name: 'live',
      data: '{"kind":"live"}',
      opts: '{}',
      timestamp: 1,
      finishedOn: 1,
    });
    await pipeline.redis.zadd(failed, 1, 'crashed');
    expect(await removeInvalidOlder(queue, 1)).toBe(0);
    expect(await removeInvalidOlder(queue, Date.now() + 1)).toBe(1);
    expect(await pipeline.redis.zrange(failed, '0', '-1')).toEqual(['crashed']);
  });
});

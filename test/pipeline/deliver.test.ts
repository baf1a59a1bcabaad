import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentError, RetryAfterError } from '../../src/handlers/errors.js';
import { notification } from '../helpers/notifications.js';
import { createPipeline, recorder, type TestPipeline } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

let server: TestRedis;
let pipeline: TestPipeline;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  pipeline = createPipeline(server);
  await until('the connections are ready', () => pipeline.producer.status === 'ready');
});
afterEach(() => pipeline.close());

const kindsOf = (seen: { notification: { what: string } }[]) => seen.map(({ notification: { what } }) => what);

describe('from intake to handler', () => {
  it('hands a stream over in timestamp order, whatever the order of arrival', async () => {
    const { handler, seen } = recorder('catalogue');
    await pipeline.startWorker([handler]);
    const at = Date.now();
    await pipeline.accept(notification({ what: 'ended', at: at + 20 }));
    await pipeline.accept(notification({ what: 'live', at: at + 10 }));
    await pipeline.accept(notification({ what: 'started', at }));
    await until('all three arrived', () => seen.length === 3);
    expect(kindsOf(seen)).toEqual(['started', 'live', 'ended']);
    expect(seen.map(({ context }) => context.late)).toEqual([false, false, false]);
  });

  it('keeps the natural order of kinds where timestamps are equal', async () => {
    const { handler, seen } = recorder('catalogue');
    await pipeline.startWorker([handler]);
    const at = Date.now();
    for (const what of ['on-demand', 'ended', 'unheard-of', 'live', 'started']) {
      await pipeline.accept(notification({ what, at }));
    }
    await until('all arrived', () => seen.length === 5);
    expect(kindsOf(seen)).toEqual(['started', 'live', 'unheard-of', 'ended', 'on-demand']);
  });

  it('answers a repeat with the id of the first, and handles it once, its tags reordered or its timestamp new', async () => {
    const { handler, seen } = recorder('catalogue');
    await pipeline.startWorker([handler]);
    const first = await pipeline.accept(notification({ at: 1_790_000_000_000, data: { tags: ['a', 'b'] } }));
    expect(first.duplicate).toBe(false);
    for (const again of [
      notification({ at: 1_790_000_000_000, data: { tags: ['a', 'b'] } }),
      notification({ at: 1_790_000_000_000, data: { tags: ['b', 'a'] } }),
      notification({ at: 1_790_000_005_000, data: { tags: ['a', 'b'] } }),
    ]) {
      expect(await pipeline.accept(again)).toEqual({ id: first.id, duplicate: true });
    }
    await until('it arrived', () => seen.length === 1);
    expect((await pipeline.accept(notification({ at: 1_790_000_000_000 }))).duplicate).toBe(true);
    await pipeline.accept(notification({ what: 'ended' }));
    await until('the end arrived', () => kindsOf(seen).includes('ended'));
    expect(kindsOf(seen)).toEqual(['started', 'ended']);
  });

  it('hands each notification to every handler that subscribes to its kind, and to no other', async () => {
    const starts = recorder('starts', { on: ['started'] });
    const ends = recorder('ends', { on: ['ended', 'unheard-of'] });
    const all = recorder('all', { on: '*' });
    await pipeline.startWorker([starts.handler, ends.handler, all.handler]);
    for (const what of ['started', 'live', 'unheard-of', 'ended']) await pipeline.accept(notification({ what }));
    await until('all arrived', () => all.seen.length === 4 && ends.seen.length === 2 && starts.seen.length === 1);
    expect(kindsOf(starts.seen)).toEqual(['started']);
    expect(kindsOf(ends.seen)).toEqual(['unheard-of', 'ended']);
  });

  it('delivers a notification without a stream at once, as a stream of its own', async () => {
    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler]);
    const message = {
      apiVersion: 0,
      entity: 'account',
      what: 'quota',
      data: { left: 3 },
      sessionId: 's',
      timestamp: '',
    };
    await pipeline.accept(message);
    await until('it arrived', () => seen.length === 1);
    expect(seen[0]?.notification).toEqual(message);
  });

  it('gives the handler the body as it was sent, unknown fields too, and what it is told beside', async () => {
    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler]);
    const message = { ...notification({ data: { extra: { nested: [1, 'ü'] } } }), region: 'eu' };
    const { id } = await pipeline.accept(message);
    const [first] = await until('it arrived', () => seen.length === 1 && seen);
    expect(first?.notification).toEqual(message);
    expect(first?.context).toMatchObject({ id, attempt: 1, late: false, replayed: false });
    expect(first?.context.receivedAt).toBeInstanceOf(Date);
    expect(first?.context.fence).toBeGreaterThan(0);
    expect(first?.context.signal).toBeInstanceOf(AbortSignal);
  });
});

describe('hold', () => {
  it('releases a stream whose start is missing once it was waited for, and the start is late then', async () => {
    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler]);
    const at = Date.now();
    await pipeline.accept(notification({ what: 'live', at }));
    await until('the live one arrived without a start', () => seen.length === 1);
    expect((seen[0]?.at ?? 0) - at).toBeGreaterThanOrEqual(600);
    await pipeline.accept(notification({ what: 'started', at: at - 10 }));
    await until('the start arrived', () => seen.length === 2);
    expect(seen.map(({ context }) => context.late)).toEqual([false, true]);
  });

  it('lets what waits for a start go with it, at once', async () => {
    const patient = createPipeline(server, { reorderMissingStartMs: 60_000 });
    try {
      await until('the connections are ready', () => patient.producer.status === 'ready');
      const { handler, seen } = recorder('all');
      await patient.startWorker([handler]);
      const at = Date.now();
      const live = await patient.accept(notification({ what: 'live', at }));
      await until('its window is over and it waits for the start', async () => {
        const job = await patient.queues.notifications().getJob(live.id);
        return (job?.delay ?? 0) > 1000;
      });
      await patient.accept(notification({ what: 'started', at: at - 1 }));
      await until('both arrived', () => seen.length === 2);
      expect(kindsOf(seen)).toEqual(['started', 'live']);
    } finally {
      await patient.close();
    }
  });
});

describe('attempts', () => {
  it('repeats a failed one after its back-off, without holding up other streams', async () => {
    const { handler, seen } = recorder('all', { attempts: 3, backoffMs: 50 }, ({ notification: n, context }) => {
      if (n.data.streamId === 'bad' && context.attempt < 3) throw new Error('not yet');
    });
    await pipeline.startWorker([handler]);
    await pipeline.accept(notification({ stream: 'bad' }));
    await pipeline.accept(notification({ what: 'live', stream: 'bad' }));
    await pipeline.accept(notification({ stream: 'good' }));
    await until('all arrived', () => seen.length === 5);
    const bad = seen.filter(({ notification: n }) => n.data.streamId === 'bad');
    expect(bad.map(({ notification: n, context }) => [n.what, context.attempt])).toEqual([
      ['started', 1],
      ['started', 2],
      ['started', 3],
      ['live', 1],
    ]);
    const [first, second, third] = bad.map(({ at }) => at) as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(45);
    expect(third - second).toBeGreaterThanOrEqual(95);
    const fences = bad.map(({ context }) => context.fence);
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
  });

  it('fails a delivery whose attempts are used up, lists it, and lets the stream go on', async () => {
    const { handler, seen } = recorder('all', { attempts: 2, backoffMs: 1 }, ({ notification: n }) => {
      if (n.what === 'started') throw new Error('the database is away');
    });
    await pipeline.startWorker([handler]);
    const { id } = await pipeline.accept(notification());
    await pipeline.accept(notification({ what: 'live' }));
    await until('the next one arrived', () => kindsOf(seen).includes('live'));
    const [failed] = await until('it is listed', async () => {
      const list = await pipeline.failed.list();
      return list.length > 0 && list;
    });
    expect(failed).toMatchObject({
      id,
      handler: 'all',
      state: 'failed',
      kind: 'started',
      stream: 'stream-1',
      attempts: 2,
      reason: 'the database is away',
    });
    expect(kindsOf(seen)).toEqual(['started', 'started', 'live']);
  });

  it('fails at once on a PermanentError, and waits as a RetryAfterError says', async () => {
    const { handler, seen } = recorder('all', { attempts: 5, backoffMs: 60_000 }, ({ notification: n, context }) => {
      if (n.what === 'started') throw new PermanentError('no such account');
      if (context.attempt === 1) throw new RetryAfterError(10);
    });
    await pipeline.startWorker([handler]);
    await pipeline.accept(notification());
    await pipeline.accept(notification({ what: 'live' }));
    await until('all arrived', () => seen.length === 3);
    expect(seen.map(({ notification: n, context }) => [n.what, context.attempt])).toEqual([
      ['started', 1],
      ['live', 1],
      ['live', 2],
    ]);
  });

  it('aborts the signal of one that takes too long, and tries again', async () => {
    const { handler, seen } = recorder('all', { attempts: 2, timeoutMs: 30, backoffMs: 1 }, ({ context }) => {
      if (context.attempt > 1) return;
      return new Promise(() => {});
    });
    await pipeline.startWorker([handler]);
    await pipeline.accept(notification());
    await until('it was tried again', () => seen.length === 2);
    expect(seen[0]?.context.signal.aborted).toBe(true);
    expect(seen[0]?.context.signal.reason).toMatchObject({ message: 'took longer than 30 ms' });
    expect(seen[1]?.context.signal.aborted).toBe(false);
  });

  it('parks the stream where the handler says so, until a person replays or discards', async () => {
    let broken = true;
    const { handler, seen } = recorder('all', { attempts: 1, onExhausted: 'park' }, () => {
      if (broken) throw new Error('broken');
    });
    await pipeline.startWorker([handler]);
    await pipeline.accept(notification());
    await pipeline.accept(notification({ what: 'live' }));
    await pipeline.accept(notification({ stream: 'other' }));
    const parked = await until('both streams are parked', async () => {
      const list = await pipeline.failed.list();
      return list.length === 2 && list;
    });
    expect(parked.map(({ state }) => state)).toEqual(['parked', 'parked']);
    await until('the window is over', async () => (await pipeline.queues.notifications().count()) === 0);
    expect(seen).toHaveLength(2);
    broken = false;
    expect(await pipeline.failed.replay({ stream: 'stream-1' })).toEqual({ replayed: 1, already: 0, lost: 0 });
    await until('the stream goes on', () => seen.length === 4);
    expect(seen.slice(2).map(({ notification: n, context }) => [n.what, context.attempt, context.replayed])).toEqual([
      ['started', 2, true],
      ['live', 1, false],
    ]);
    expect(await pipeline.failed.discard({ stream: 'other' })).toBe(1);
    await pipeline.accept(notification({ what: 'ended', stream: 'other' }));
    await until('the other stream goes on', () => seen.length === 5);
  });
});

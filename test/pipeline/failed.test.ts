import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentError } from '../../src/handlers/errors.js';
import { resolveHandler } from '../../src/handlers/resolve-handler.js';
import { readFailedRows } from '../../src/pipeline/failed-rows.js';
import { startSweeper } from '../../src/pipeline/sweeper.js';
import { notification, verifiedBody } from '../helpers/notifications.js';
import { createPipeline, DEFAULTS, recorder, type Seen, type TestPipeline } from '../helpers/pipeline.js';
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

const EPOCH = 1_790_000_000_000;
/** The nth of a stream; the first is its start. */
const nth = (stream: string, number: number, what = number === 0 ? 'started' : 'live') =>
  notification({ what, stream, at: EPOCH + number, data: { number } });
const numberOf = ({ notification: n }: Seen) => n.data.number as number;
const streamOf = ({ notification: n }: Seen) => n.data.streamId as string;
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

const failedOf = (handler: string) => pipeline.redis.zcard(pipeline.keys.queue(`handler-${handler}`, 'failed'));
const lanesOf = (handler: string) => pipeline.redis.zcard(pipeline.keys.lanes(handler));
const allFailed = (handler: string, count: number) =>
  until(`${count} have failed`, async () => (await failedOf(handler)) === count && (await lanesOf(handler)) === 0);

/** A handler that fails for good while it is broken, and refuses to run twice at once in a stream. */
function breakable(name = 'all', act: (seen: Seen) => unknown = () => {}) {
  const state = { broken: true, overlaps: 0 };
  const delivered: Seen[] = [];
  const running = new Set<string>();
  const { handler, seen } = recorder(name, { attempts: 1 }, async (one) => {
    if (state.broken) throw new Error('broken');
    if (running.has(streamOf(one))) state.overlaps++;
    running.add(streamOf(one));
    await new Promise(setImmediate);
    await act(one);
    running.delete(streamOf(one));
    delivered.push(one);
  });
  return { handler, seen, delivered, state };
}

describe('replay', () => {
  it('delivers all that failed, each stream in order and none twice, beside new ones of the same streams', async () => {
    const { handler, delivered, state } = breakable();
    await pipeline.startWorker([handler]);
    const streams = upTo(20).map((at) => `stream-${at}`);
    const failing = streams.flatMap((stream) => upTo(10).map((number) => nth(stream, number)));
    await Promise.all(failing.map((one) => pipeline.accept(one)));
    await allFailed('all', 200);

    state.broken = false;
    const traffic = (async () => {
      for (const number of upTo(10)) {
        await Promise.all(streams.map((stream) => pipeline.accept(nth(stream, 100 + number))));
      }
    })();
    expect(await pipeline.failed.replay({ handler: 'all' })).toEqual({ replayed: 200, already: 0, lost: 0 });
    await traffic;
    await until('all arrived', () => delivered.length >= 400);

    expect(state.overlaps).toBe(0);
    for (const stream of streams) {
      const mine = delivered.filter((one) => streamOf(one) === stream);
      const replayed = mine.filter(({ context }) => context.replayed);
      expect(replayed.map(numberOf)).toEqual(upTo(10));
      expect(replayed.map(({ context }) => context.attempt)).toEqual(upTo(10).map(() => 2));
      const fresh = mine.filter(({ context }) => !context.replayed);
      expect(fresh.map(numberOf)).toEqual(upTo(10).map((number) => 100 + number));
    }
    expect(delivered).toHaveLength(400);
    expect(await pipeline.failed.count()).toBe(0);
  });

  it('handles each once, though it is asked for several times at once and while it runs', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { handler, delivered, state } = breakable('all', () => gate);
    await pipeline.startWorker([handler]);
    for (const at of upTo(30)) await pipeline.accept(nth(`stream-${at % 5}`, Math.floor(at / 5)));
    await allFailed('all', 30);

    state.broken = false;
    const calls = await Promise.all(upTo(4).map(() => pipeline.failed.replay()));
    expect(calls.reduce((sum, { replayed }) => sum + replayed, 0)).toBe(30);
    await until('each stream runs its first', async () => (await failedOf('all')) === 25);
    expect(await pipeline.failed.replay()).toEqual({ replayed: 0, already: 25, lost: 0 });
    expect((await pipeline.failed.list()).map(({ state: is }) => is)).toEqual(upTo(25).map(() => 'waiting'));
    open();
    await until('all arrived', () => delivered.length === 30);
    expect(await pipeline.failed.replay()).toEqual({ replayed: 0, already: 0, lost: 0 });
    await until('nothing is left', async () => (await lanesOf('all')) === 0);
    expect(delivered).toHaveLength(30);
  });

  it('gives full attempts again, goes on counting, and keeps the history of all', async () => {
    const { handler, seen } = recorder('all', { attempts: 2, backoffMs: 1, timeoutMs: 40 }, ({ context }) => {
      if (context.attempt === 2) return new Promise(() => {});
      throw new Error(`attempt ${context.attempt} went wrong`);
    });
    await pipeline.startWorker([handler]);
    const { id } = await pipeline.accept(nth('a', 0));
    await allFailed('all', 1);
    await pipeline.failed.replay({ ids: [id] });
    await until('it failed again', async () => seen.length === 4 && (await failedOf('all')) === 1);

    expect(seen.map(({ context }) => [context.attempt, context.replayed])).toEqual([
      [1, false],
      [2, false],
      [3, true],
      [4, true],
    ]);
    const [shown] = await pipeline.failed.show(id);
    expect(shown).toMatchObject({ id, handler: 'all', state: 'failed', attempts: 4, reason: 'attempt 4 went wrong' });
    expect(JSON.parse(shown?.body ?? '')).toEqual(nth('a', 0));
    const history = shown?.history ?? [];
    expect(history.map(({ attempt, outcome, error, replayed }) => [attempt, outcome, error, replayed])).toEqual([
      [1, 'error', 'attempt 1 went wrong', false],
      [2, 'timeout', 'took longer than 40 ms', false],
      [3, 'error', 'attempt 3 went wrong', true],
      [4, 'error', 'attempt 4 went wrong', true],
    ]);
    expect(history[1]?.durationMs).toBeGreaterThanOrEqual(39);
    for (const { startedAt } of history) expect(new Date(startedAt).toISOString()).toBe(startedAt);
  });

  describe('whose caller died before it could dispatch', () => {
    async function replayWithoutDispatch() {
      const broken = breakable();
      await pipeline.startWorker([broken.handler]);
      for (const at of upTo(6)) await pipeline.accept(nth(`stream-${at % 2}`, Math.floor(at / 2)));
      await allFailed('all', 6);
      broken.state.broken = false;
      for (const stream of ['stream-0', 'stream-1']) {
        const failed = await pipeline.failed.list({ stream });
        const deliveries = failed.map(({ id }, at) => ({ id, score: at })).reverse();
        await pipeline.scripts.replay('all', stream, deliveries);
      }
      expect(broken.delivered).toEqual([]);
      return broken;
    }

    it('is put right by the same call again', async () => {
      const { delivered } = await replayWithoutDispatch();
      expect(await pipeline.failed.replay()).toEqual({ replayed: 0, already: 6, lost: 0 });
      await until('all arrived', () => delivered.length === 6);
      await until('nothing is left', async () => (await lanesOf('all')) === 0);
      expect(delivered).toHaveLength(6);
    });

    it('is put right by the sweeper', async () => {
      const { handler, delivered } = await replayWithoutDispatch();
      // As if it had happened a while ago.
      await pipeline.redis.zadd(pipeline.keys.lanes('all'), 1, 'stream-0', 1, 'stream-1');
      const defaults = { concurrency: 1, attempts: 1, backoffMs: 1, timeoutMs: 1000 };
      const sweeper = startSweeper({
        ...pipeline,
        ...DEFAULTS,
        handlers: [resolveHandler(handler, defaults)],
        onError: (error) => pipeline.errors.push(error),
        intervalMs: 10,
      });
      await until('all arrived', () => delivered.length === 6);
      sweeper.stop();
      await until('nothing is left', async () => (await lanesOf('all')) === 0);
      expect(delivered).toHaveLength(6);
    });
  });

  it('says of how many the notification is lost, and leaves them listed', async () => {
    const { handler } = breakable();
    await pipeline.startWorker([handler]);
    const { id } = await pipeline.accept(nth('a', 0));
    await pipeline.accept(nth('b', 0));
    await allFailed('all', 2);
    await pipeline.redis.del(pipeline.keys.notification(id));
    expect(await pipeline.failed.replay({ stream: 'a' })).toEqual({ replayed: 0, already: 0, lost: 1 });
    expect(await pipeline.failed.list({ stream: 'a' })).toMatchObject([{ id, kind: undefined, stream: 'a' }]);
  });
});

describe('list, count and discard', () => {
  /** Two handlers, two streams, two kinds: eight failures. */
  async function failEight() {
    const [one, two] = [breakable('one'), breakable('two')];
    await pipeline.startWorker([one.handler, two.handler]);
    const ids: string[] = [];
    for (const stream of ['a', 'b']) {
      for (const number of [0, 1]) {
        ids.push((await pipeline.accept(nth(stream, number))).id);
        await until('both have failed', async () => (await pipeline.failed.count()) === 2 * ids.length);
      }
    }
    return { ids, one, two };
  }

  it('takes each filter, and all of them together', async () => {
    const { ids } = await failEight();
    const { failed } = pipeline;
    const all = await failed.list();
    expect(all).toHaveLength(8);
    const times = all.map(({ failedAt }) => Date.parse(failedAt));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(await failed.list({}, 3)).toEqual(all.slice(0, 3));

    const idsOf = async (filter: Parameters<typeof failed.list>[0]) =>
      (await failed.list(filter)).map(({ id, handler }) => `${ids.indexOf(id)} ${handler}`).sort();
    expect(await idsOf({ handler: 'one' })).toEqual(['0 one', '1 one', '2 one', '3 one']);
    expect(await idsOf({ stream: 'b' })).toEqual(['2 one', '2 two', '3 one', '3 two']);
    expect(await idsOf({ kind: 'live' })).toEqual(['1 one', '1 two', '3 one', '3 two']);
    expect(await idsOf({ ids: [ids[0] as string, ids[3] as string] })).toEqual(['0 one', '0 two', '3 one', '3 two']);
    expect(await idsOf({ ids: [] })).toEqual([]);
    expect(await idsOf({ handler: 'none such' })).toEqual([]);
    expect(await idsOf({ handler: 'two', kind: 'started', stream: 'b', ids })).toEqual(['2 two']);

    const middle = times[3] as number;
    const since = await failed.count({ since: middle });
    const before = await failed.count({ until: middle });
    expect(since).toBe(times.filter((time) => time >= middle).length);
    expect(before).toBe(8 - since);
    expect(await failed.count({ since: middle, until: middle + 1 })).toBe(times.filter((t) => t === middle).length);
    expect(await failed.count({ ids, until: middle })).toBe(before);
  });

  it('gives up what a filter lets through, once, and keeps the notification for its shorter time then', async () => {
    const { ids, one } = await failEight();
    const { failed, redis, keys } = pipeline;
    const [first] = ids as [string];
    expect(await redis.ttl(keys.notification(first))).toBeGreaterThan(DEFAULTS.failedRetentionS);
    const counts = await Promise.all([failed.discard({ handler: 'one' }), failed.discard({ handler: 'one' })]);
    expect(counts[0] + counts[1]).toBe(4);
    expect(await redis.hget(keys.notification(first), 'failed')).toBe('1');
    expect(await redis.ttl(keys.notification(first))).toBeGreaterThan(DEFAULTS.failedRetentionS);
    expect(await failed.discard()).toBe(4);
    expect(await redis.hget(keys.notification(first), 'failed')).toBe('0');
    expect(await redis.ttl(keys.notification(first))).toBeLessThanOrEqual(DEFAULTS.eventRetentionS);
    expect(await failed.list()).toEqual([]);
    one.state.broken = false;
    expect(await failed.replay()).toEqual({ replayed: 0, already: 0, lost: 0 });
    expect(await redis.keys(`${keys.queue('handler-one', ids[0] as string)}*`)).toEqual([]);
  });

  it('misses none though those listed before are replayed or discarded meanwhile', async () => {
    const { redis, keys } = pipeline;
    await redis.hset(keys.handlers, 'all', '*');
    const failed = keys.queue('handler-all', 'failed');
    const ids = upTo(1200).map((at) => `job-${at}`);
    const pipe = redis.pipeline();
    for (const [at, id] of ids.entries()) {
      pipe.hset(keys.queue('handler-all', id), { data: '{"stream":"s"}', finishedOn: at });
      // Many fail in the same millisecond, too.
      pipe.zadd(failed, Math.floor(at / 300), id);
    }
    await pipe.exec();
    const seen: string[] = [];
    for await (const { id } of readFailedRows(pipeline, { handler: 'all' })) {
      seen.push(id);
      if (seen.length === 1) await redis.zrem(failed, ...ids.slice(0, 500));
    }
    expect(seen.sort()).toEqual(ids.sort());
  });
});

describe('a body that was no notification', () => {
  const keep = (body: string | Buffer) =>
    pipeline.intake.keepInvalid({ body: verifiedBody(body), problem: 'the body is not JSON', receivedAt: EPOCH });

  it('is listed without a handler, shown as it came, kept once, and fails again when it is replayed', async () => {
    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler]);
    const body = Buffer.from([0x7b, 0xff, 0x00]);
    const { id } = await keep(body);
    expect(await keep(body)).toEqual({ id });
    await until('it is listed', async () => (await pipeline.failed.count()) === 1);
    const listed = { id, handler: undefined, state: 'failed', kind: undefined, stream: undefined, attempts: 1 };
    expect(await pipeline.failed.list()).toMatchObject([{ ...listed, reason: 'the body is not UTF-8' }]);
    expect(await pipeline.failed.list({ handler: 'all' })).toEqual([]);
    const [shown] = await pipeline.failed.show(id);
    expect(Buffer.from(shown?.body ?? '', 'base64')).toEqual(body);
    expect(shown?.receivedAt).toBe(new Date(EPOCH).toISOString());

    expect(await pipeline.failed.replay({ ids: [id] })).toEqual({ replayed: 1, already: 0, lost: 0 });
    await until('it failed again', async () => (await pipeline.failed.list())[0]?.attempts === 2);
    expect(await pipeline.failed.discard({ ids: [id] })).toBe(1);
    expect(await pipeline.failed.list()).toEqual([]);
    expect(seen).toEqual([]);
  });

  it('is delivered, in order, once this version can read it', async () => {
    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler]);
    await keep(JSON.stringify(nth('a', 0)));
    await pipeline.accept(nth('a', 1));
    await until('both arrived', () => seen.length === 2);
    expect(seen.map(numberOf)).toEqual([0, 1]);
    expect(await pipeline.failed.list()).toEqual([]);
  });
});

describe('a parked stream', () => {
  it('waits behind its failed delivery, again after a replay that fails, and goes on in order once one succeeds', async () => {
    let broken = true;
    const { handler, seen } = recorder('all', { attempts: 2, backoffMs: 1, onExhausted: 'park' }, (one) => {
      if (broken && numberOf(one) === 1) throw new PermanentError('not this one');
    });
    await pipeline.startWorker([handler]);
    for (const number of [0, 1, 2, 3]) await pipeline.accept(nth('a', number));
    const parked = async () => (await pipeline.failed.list()).filter(({ state }) => state === 'parked');
    const [first] = await until('it is parked', async () => (await parked()).length === 1 && parked());
    expect(first).toMatchObject({ stream: 'a', kind: 'live', attempts: 1, reason: 'not this one' });
    await until('the others wait', async () => (await pipeline.redis.zcard(pipeline.keys.lane('all', 'a'))) === 3);

    expect(await pipeline.failed.replay()).toEqual({ replayed: 1, already: 0, lost: 0 });
    await until('it is parked again', async () => (await parked())[0]?.attempts === 2);
    broken = false;
    expect(await pipeline.failed.replay()).toEqual({ replayed: 1, already: 0, lost: 0 });
    await until('all arrived', () => seen.length === 6);
    expect(seen.map(numberOf)).toEqual([0, 1, 1, 1, 2, 3]);
    expect(seen.map(({ context }) => context.late)).toEqual(upTo(6).map(() => false));
    expect(await pipeline.failed.list()).toEqual([]);
  });
});

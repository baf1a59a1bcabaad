import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Job, Worker } from 'bullmq';
import type { Handler } from '../../src/handlers/handler.js';
import { resolveHandler } from '../../src/handlers/resolve-handler.js';
import { deliveryBackOff } from '../../src/pipeline/back-off.js';
import { createDelivery } from '../../src/pipeline/delivery.js';
import { handlerQueue } from '../../src/pipeline/keys.js';
import type { DeliveryJob } from '../../src/pipeline/queues.js';
import { registerHandlers } from '../../src/pipeline/registry.js';
import { score } from '../../src/pipeline/score.js';
import { startSweeper } from '../../src/pipeline/sweeper.js';
import { MOST_CRASHES } from '../../src/pipeline/worker-options.js';
import { notification } from '../helpers/notifications.js';
import type { TestPipeline } from '../helpers/pipeline.js';
import { createPipeline, DEFAULTS, recorder, type Seen, silentLog, silentObserver } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

let server: TestRedis;
let pipeline: TestPipeline;
const cleanups: (() => unknown)[] = [];
beforeAll(async () => {
  // With `everysec` Redis may put off a write while its disk is busy, and a kill would take what it had confirmed.
  server = await startTestRedis({ appendfsync: 'always' });
});
afterAll(() => server.stop());
beforeEach(async () => {
  pipeline = createPipeline(server, { reorderWindowMs: 20, reorderMissingStartMs: 20 });
  await until('the connections are ready', () => pipeline.producer.status === 'ready');
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await pipeline.close();
});

const EPOCH = 1_790_000_000_000;
const KINDS = ['started', 'live', 'ended'];
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const nth = (number: number, stream = 'a') =>
  notification({ what: KINDS[Math.min(number, 1)] as string, stream, at: EPOCH + number, data: { number } });
const numbers = (seen: readonly Seen[]) => seen.map(({ notification: n }) => n.data.number);
const DEFAULT_OPTIONS = { concurrency: 50, attempts: 5, backoffMs: 20, timeoutMs: 5000 };

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  cleanups.push(() => open());
  return { open, passed };
}

async function atRest(): Promise<void> {
  const isDone = async () => {
    const held = await pipeline.queues.notifications().getJobCountByTypes('wait', 'delayed', 'active');
    return held === 0 && (await pipeline.redis.zcard(pipeline.keys.lanes('all'))) === 0;
  };
  await until('nothing is left to do', isDone, { deadlineMs: 25_000 });
}

/** Lets the sweeper see the lanes as if they had been left alone for a while. */
async function sweepAtOnce(handlers: readonly Handler[]): Promise<void> {
  for (const { name } of handlers) {
    for (const stream of await pipeline.redis.zrange(pipeline.keys.lanes(name), '0', '-1')) {
      await pipeline.redis.zadd(pipeline.keys.lanes(name), 1, stream);
    }
  }
  const resolved = handlers.map((handler) => resolveHandler(handler, DEFAULT_OPTIONS));
  const onError = (error: Error) => pipeline.errors.push(error);
  const sweeper = startSweeper({ ...pipeline, ...DEFAULTS, handlers: resolved, onError, intervalMs: 10 });
  cleanups.push(() => sweeper.stop());
}

/** Registers a handler and releases, by a worker that has not got it, what is accepted for it. */
async function releaseFor(handler: Handler, count: number): Promise<string[]> {
  await registerHandlers(pipeline.redis, pipeline.keys, [handler]);
  const witness = recorder('witness');
  await pipeline.startWorker([witness.handler]);
  const ids = [];
  for (const number of upTo(count)) ids.push((await pipeline.accept(nth(number))).id);
  await until('all are released', () => witness.seen.length === count);
  return ids;
}

/** Takes the handler's next job, as a worker does that dies then. */
async function takeJob(handler: string) {
  const options = { connection: pipeline.redis, prefix: pipeline.prefix, autorun: false };
  const worker = new Worker<DeliveryJob>(handlerQueue(handler), undefined, options);
  cleanups.push(() => worker.close());
  const job = (await worker.getNextJob('dead', { block: false })) as Job<DeliveryJob>;
  const claim = await pipeline.scripts.claim(handler, job.data.stream, job.id as string);
  if (claim.state !== 'run') throw new Error(`expected a run, got ${claim.state}`);
  return { job, fence: claim.fence, lock: `${pipeline.keys.queue(handlerQueue(handler), job.id as string)}:lock` };
}

describe('a worker that dies', () => {
  it('between release and dispatch leaves a job that dispatches when it runs again', async () => {
    const { handler, seen } = recorder('all');
    await registerHandlers(pipeline.redis, pipeline.keys, [handler]);
    const { id } = await pipeline.accept(nth(0));
    const own = { id, kind: 'started', stream: 'a', score: score(EPOCH, 'started'), mode: 'go' } as const;
    const released = await pipeline.scripts.release({ ...own, reorderWindowMs: 20, streamRetentionS: 1000 });
    expect(released).toMatchObject({ state: 'released', dispatch: [{ id, how: 'add' }] });
    await pipeline.startWorker([handler]);
    await until('it arrived', () => seen.length === 1);
    await atRest();
    expect(seen).toHaveLength(1);
  });

  it('between release and dispatch, its own job done, leaves a lane that the sweeper finds', async () => {
    const { handler, seen } = recorder('all');
    const [id] = (await releaseFor(handler, 1)) as [string];
    await pipeline.queues.ofHandler('all').remove(id);
    await pipeline.startWorker([handler]);
    await sweepAtOnce([handler]);
    await until('it arrived', () => seen.length === 1);
    await atRest();
    expect(seen).toHaveLength(1);
  });

  it('between advance and completion does not make the handler run again, and the next one is dispatched', async () => {
    const { handler, seen } = recorder('all');
    const [id] = (await releaseFor(handler, 2)) as [string];
    const { job, fence } = await takeJob('all');
    expect(job.id).toBe(id);
    await pipeline.scripts.advance('all', 'a', id, fence, { done: true });
    await job.moveToWait('dead');
    await pipeline.startWorker([handler]);
    await until('the next one arrived', () => seen.length === 1);
    await atRest();
    expect(numbers(seen)).toEqual([1]);
    expect(await pipeline.failed.list()).toEqual([]);
  });

  it('between giving up and failing leaves a delivery that ends in the failed list, and the next one is dispatched', async () => {
    const { handler, seen } = recorder('all');
    const [id] = (await releaseFor(handler, 2)) as [string];
    const { job, fence } = await takeJob('all');
    await pipeline.scripts.advance('all', 'a', id, fence, { done: false, park: false, reason: 'no such account' });
    await job.moveToWait('dead');
    await pipeline.startWorker([handler]);
    await until('the next one arrived', () => seen.length === 1);
    await atRest();
    expect(numbers(seen)).toEqual([1]);
    expect(await pipeline.failed.list()).toMatchObject([
      { id, state: 'failed', reason: 'no such account', attempts: 1 },
    ]);
    expect(await pipeline.failed.replay()).toMatchObject({ replayed: 1 });
    await until('it arrived after all', () => seen.length === 2);
    expect(seen[1]?.context).toMatchObject({ id, attempt: 2, replayed: true, late: true });
  });

  it('by kill -9 in the midst of many is replaced: all are delivered in order, at no cost of attempts', async () => {
    const program = fileURLToPath(new URL('./recovery-worker.ts', import.meta.url));
    const args = ['--import', 'jiti/register', program, String(server.options.port), pipeline.prefix];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    cleanups.push(() => child.kill('SIGKILL'));
    const begun: { stream: string; fence: number; attempt: number }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => begun.push(JSON.parse(line)));
    const streams = upTo(8).map((at) => `stream-${at}`);
    for (const stream of streams) for (const number of [0, 1, 2]) await pipeline.accept(nth(number, stream));
    await until('each stream runs its first', () => begun.length === 8);
    child.kill('SIGKILL');
    await exit;

    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler]);
    await until('all arrived', () => seen.length === 24);
    await atRest();
    for (const stream of streams) {
      const mine = seen.filter(({ notification: n }) => n.data.streamId === stream);
      expect(numbers(mine)).toEqual([0, 1, 2]);
      expect(mine.map(({ context }) => [context.attempt, context.late])).toEqual(upTo(3).map(() => [1, false]));
      const before = begun.find((one) => one.stream === stream);
      expect(mine[0]?.context.fence).toBeGreaterThan(before?.fence ?? Number.POSITIVE_INFINITY);
    }
  }, 40_000);

  it('again and again by one delivery has that delivery failed, and its lane goes on, or is parked', async () => {
    const goesOn = recorder('all');
    const parks = recorder('parks', { onExhausted: 'park' });
    await registerHandlers(pipeline.redis, pipeline.keys, [parks.handler]);
    const [id] = (await releaseFor(goesOn.handler, 2)) as [string];
    for (const name of ['all', 'parks']) {
      const { lock } = await takeJob(name);
      await pipeline.redis.hset(pipeline.keys.queue(handlerQueue(name), id), 'stc', MOST_CRASHES);
      await pipeline.redis.del(lock);
    }
    await pipeline.startWorker([goesOn.handler, parks.handler]);
    await until('BullMQ has failed both', async () => (await pipeline.failed.count()) === 2);
    // Nobody may retry it meanwhile: it would take down the next worker.
    await pipeline.dispatch((await pipeline.scripts.replay('all', 'a', [])).dispatch);
    expect(await pipeline.failed.count({ handler: 'all' })).toBe(1);
    await sweepAtOnce([goesOn.handler, parks.handler]);
    await until('the next one arrived', () => goesOn.seen.length === 1);
    const isParked = async () => (await pipeline.failed.list({ handler: 'parks' }))[0]?.state === 'parked';
    await until('the other lane is parked', isParked);
    expect(numbers(goesOn.seen)).toEqual([1]);
    expect(parks.seen).toEqual([]);
    expect(await pipeline.failed.list({ handler: 'all' })).toMatchObject([
      { id, state: 'failed', reason: expect.stringContaining('stalled') },
    ]);
    await pipeline.failed.replay();
    await until('both arrived after all', () => goesOn.seen.length === 2 && parks.seen.length === 2);
    expect(numbers(parks.seen)).toEqual([0, 1]);
  });
});

describe('a run that loses its lock', () => {
  it('is told so; another run takes its place, and what the first one ends with changes nothing', async () => {
    const [first, second] = [gate(), gate()];
    const { handler, seen } = recorder('all', { concurrency: 1 }, ({ context }) => {
      if (context.fence === seen[0]?.context.fence) return first.passed;
      if (seen.length === 2) return second.passed;
    });
    await pipeline.startWorker([handler]);
    const { id } = await pipeline.accept(nth(0));
    await pipeline.accept(nth(1));
    await until('it runs', () => seen.length === 1);
    await pipeline.startWorker([handler]);
    await pipeline.redis.del(`${pipeline.keys.queue('handler-all', id)}:lock`);
    await until('it runs again', () => seen.length === 2);
    await until('the first one was told', () => seen[0]?.context.signal.aborted);
    expect(seen[0]?.context.signal.reason).toBe('lock lost');
    expect(seen[1]?.context).toMatchObject({ id, attempt: 1 });
    expect(seen[1]?.context.fence).toBeGreaterThan(seen[0]?.context.fence ?? Number.POSITIVE_INFINITY);
    expect(seen[1]?.context.signal.aborted).toBe(false);

    first.open();
    await until('the first one has ended', () => pipeline.attempts.length === 1);
    expect(pipeline.attempts[0]?.outcome).toBe('superseded');
    expect(seen).toHaveLength(2);
    expect(await pipeline.redis.hget(pipeline.keys.flight('all', 'a'), 'id')).toBe(id);
    second.open();
    await until('the next one arrived', () => seen.length === 3);
    await atRest();
    expect(numbers(seen)).toEqual([0, 0, 1]);
    expect(pipeline.attempts.map(({ outcome }) => outcome)).toEqual(['superseded', 'success', 'success']);
    expect(await pipeline.failed.list()).toEqual([]);
  });
});

describe('a Redis that refuses', () => {
  it('costs the handler none of its attempts', async () => {
    const { handler, seen } = recorder('all', { attempts: 2, backoffMs: 1 }, ({ context }) => {
      if (context.attempt === 1) throw new Error('the first attempt fails');
    });
    await releaseFor(handler, 1);
    let refusals = 1;
    const claim: typeof pipeline.scripts.claim = (...args) =>
      refusals-- > 0 ? Promise.reject(new Error('OOM command not allowed')) : pipeline.scripts.claim(...args);
    const process = createDelivery({
      handler: resolveHandler(handler, DEFAULT_OPTIONS),
      scripts: { ...pipeline.scripts, claim },
      dispatch: pipeline.dispatch,
      observer: silentObserver,
      log: silentLog,
    });
    const settings = { backoffStrategy: deliveryBackOff };
    const options = { connection: pipeline.redis, prefix: pipeline.prefix, settings };
    const worker = new Worker<DeliveryJob>('handler-all', process, options);
    cleanups.push(() => worker.close());
    await until('it was tried again', () => seen.length === 2);
    await atRest();
    expect(seen.map(({ context }) => context.attempt)).toEqual([1, 2]);
    expect(await pipeline.failed.list()).toEqual([]);
  });
});

describe('a Redis that is away for a while', () => {
  it('loses nothing that was accepted, and no order, and is not cried over with every try', async () => {
    const given = new Map<string, number>();
    const { handler, seen } = recorder('all', { attempts: 3 }, ({ notification: { data } }) => {
      given.set(data.streamId as string, data.number as number);
    });
    for (const _ of [1, 2]) await pipeline.startWorker([handler]);
    const accepted = new Map<string, number[]>();
    let stopped = false;
    // As the platform does: a refusal is sent again.
    const senders = upTo(6).map(async (at) => {
      const stream = `stream-${at}`;
      const mine: number[] = [];
      accepted.set(stream, mine);
      for (let number = 0; !stopped; number++) {
        const message = nth(number, stream);
        await until('it was accepted', () => pipeline.accept(message).catch(() => wait(20)), { deadlineMs: 25_000 });
        mine.push(number);
        const isClose = () => stopped || number - (given.get(stream) ?? 0) < 20;
        await until('the handler keeps up', isClose, { deadlineMs: 25_000 });
      }
    });
    await until('traffic flows', () => seen.length > 200);
    await server.kill9();
    // Longer than a lock lives; nothing but time ends an outage.
    await wait(6000);
    await server.restart();
    const before = seen.length;
    await until('traffic flows again', () => seen.length > before + 200);
    stopped = true;
    await Promise.all(senders);
    await atRest();

    for (const [stream, sent] of accepted) {
      const mine = seen.filter(({ notification: n }) => n.data.streamId === stream);
      const firsts = mine.filter((one, at) => mine.findIndex(({ context }) => context.id === one.context.id) === at);
      expect(numbers(firsts)).toEqual(sent);
    }
    expect(await pipeline.failed.list()).toEqual([]);
    // Each connection says once that Redis cannot be used, and once that it is back.
    expect(pipeline.outages.length).toBeGreaterThan(0);
    expect(pipeline.outages.length).toBeLessThanOrEqual(2 * 4);
  }, 40_000);
});

describe('closing', () => {
  it('lets what runs end, takes nothing new, and loses nothing', async () => {
    const { open, passed } = gate();
    const { handler, seen } = recorder('all', {}, () => passed);
    const worker = await pipeline.startWorker([handler]);
    await pipeline.accept(nth(0));
    await until('it runs', () => seen.length === 1);
    const closed = worker.close(10_000);
    await pipeline.accept(nth(0, 'b'));
    open();
    expect(await closed).toBe(true);
    expect(pipeline.attempts.map(({ outcome }) => outcome)).toEqual(['success']);
    expect(seen).toHaveLength(1);
    await pipeline.startWorker([handler]);
    await until('the other one arrived', () => seen.length === 2);
    expect(seen[1]?.context.attempt).toBe(1);
  });

  it('aborts what takes too long, and another worker has it at once, at no cost of an attempt', async () => {
    let abortedAt = 0;
    const { handler, seen } = recorder('all', { attempts: 1 }, ({ context: { signal } }) => {
      if (seen.length > 1) return;
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          abortedAt = Date.now();
          reject(signal.reason);
        });
      });
    });
    const worker = await pipeline.startWorker([handler]);
    await pipeline.accept(nth(0));
    await pipeline.accept(nth(1));
    await until('it runs', () => seen.length === 1);
    await pipeline.startWorker([handler]);
    expect(await worker.close(400)).toBe(true);
    await until('all arrived', () => seen.length === 3);
    expect(seen[0]?.context.signal.reason).toBe('shutting down');
    expect(numbers(seen)).toEqual([0, 0, 1]);
    expect(seen.map(({ context }) => context.attempt)).toEqual([1, 1, 1]);
    // Not after the seconds that a lock lives.
    expect((seen[1]?.at ?? 0) - abortedAt).toBeLessThan(2000);
    await atRest();
    expect(pipeline.attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'success', 'success']);
    expect(await pipeline.failed.list()).toEqual([]);
  });

  it('does not wait for ever: for a handler that heeds no signal, nor for a Redis that is frozen', async () => {
    const { passed } = gate();
    const { handler, seen } = recorder('all', {}, () => passed);
    const worker = await pipeline.startWorker([handler]);
    const idle = await pipeline.startWorker([recorder('other').handler]);
    await pipeline.accept(nth(0));
    await until('it runs', () => seen.length === 1);
    expect(await worker.close(200)).toBe(false);
    server.freeze();
    try {
      expect(await idle.close(200)).toBe(false);
    } finally {
      server.thaw();
    }
  });
});

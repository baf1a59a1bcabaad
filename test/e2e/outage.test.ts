import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { plan, planStreams } from '../helpers/load.js';
import { createPlatform, type Platform, startTraffic } from '../helpers/load-platform.js';
import { disorder, notDone, ranAgain } from '../helpers/load-record.js';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, type RunningService, type Services } from '../helpers/service.js';
import { get, readMetrics } from '../helpers/service-http.js';
import { until } from '../helpers/until.js';

const WINDOW_MS = 500;

let redis: TestRedis;
let services: Services;
let platform: Platform;
let receiver: RunningService;
let worker: RunningService;

beforeAll(async () => {
  // With `everysec` Redis may put off a write while its disk is busy, and a kill would take what it had confirmed.
  redis = await startTestRedis({ appendfsync: 'always' });
  services = await createServices({
    REDIS_URL: redis.url,
    QUEUE_PREFIX: uniquePrefix(),
    REORDER_WINDOW_MS: String(WINDOW_MS),
    REORDER_MISSING_START_MS: '1500',
  });
  const HANDLERS = await services.handlers('catalogue.mjs');
  [receiver, worker] = await Promise.all([
    services.start({ ROLE: 'receiver' }),
    services.start({ ROLE: 'worker', HANDLERS }),
  ]);
  platform = createPlatform({ ports: () => [receiver.port], retryMs: 250 });
});

afterAll(async () => {
  await platform?.close();
  await services?.close();
  await redis?.stop();
});

const handled = () =>
  until('all is handled', () => notDone(platform.delivered.values(), services.runs()).length === 0, {
    deadlineMs: 20_000,
  });

/** Traffic while Redis goes away as `goAway` says, for so long, and comes back. */
async function survive(name: string, goAway: () => unknown, awayMs: number, comeBack: () => unknown): Promise<void> {
  const traffic = startTraffic(platform, name);
  const handledBefore = services.runs().length;
  await until('traffic flows', () => services.runs().length > handledBefore + 20);
  const refusedBefore = platform.refusals.length;
  const awayAt = Date.now();
  await goAway();
  await until('requests are turned away', () => platform.refusals.length > refusedBefore + 10);
  await until('it has been away for its time', () => Date.now() - awayAt > awayMs, { deadlineMs: awayMs + 5000 });
  const answeredBefore = platform.delivered.size;
  await comeBack();
  await until('requests are answered again', () => platform.delivered.size > answeredBefore + 20);
  await traffic.stop();
  await handled();

  expect(new Set(platform.refusals.map(({ status }) => status))).toEqual(new Set([503]));
  const refused = receiver.lines.filter(({ outcome }) => outcome === 'unavailable');
  expect(refused.length).toBeGreaterThan(10);
  expect(refused.filter(({ durationMs }) => Number(durationMs) > 1000)).toEqual([]);
  const fromHere = services.runs().filter(({ stream }) => stream.startsWith(name));
  expect(disorder(fromHere, platform.delivered, { windowMs: WINDOW_MS })).toEqual([]);
  const firstRuns = new Map(fromHere.toReversed().map((run) => [`${run.stream}/${run.n}`, run]));
  // What was running when Redis went may run again; nothing else.
  expect(ranAgain(fromHere).filter(({ key }) => (firstRuns.get(key)?.at ?? 0) > awayAt + 1000)).toEqual([]);
  expect([...platform.delivered.values()].filter(({ ids }) => ids.size !== 1)).toEqual([]);
}

describe('when Redis goes away under traffic', () => {
  it('for 2 s by a crash: 503 within a second meanwhile, and all that was answered is handled in order', async () => {
    await survive('short', redis.kill9, 2000, redis.restart);
  });

  it('for 20 s by a crash: the same, and the workers go on by themselves', async () => {
    await survive('long', redis.kill9, 20_000, redis.restart);
    expect(worker.lines.filter(({ msg }) => msg === 'Redis is back').length).toBeGreaterThan(0);
    // Outages are said once in a while, not with every try to connect.
    const said = worker.lines.filter(({ msg }) => msg === 'Redis cannot be used; trying again');
    expect(said.length).toBeLessThan(15);
  }, 60_000);

  it('for a while without a word: the same, and both say that they are not ready', async () => {
    const notReady = async () => {
      const answers = await Promise.all([receiver, worker].map(({ adminPort }) => get(adminPort, '/readyz')));
      return answers.every(({ status }) => status === 503) && answers;
    };
    await survive(
      'silent',
      async () => {
        redis.freeze();
        const answers = await until('both notice', notReady, { deadlineMs: 8000 });
        for (const { body } of answers)
          expect(JSON.parse(body)).toEqual({ status: 'unavailable', reasons: ['Redis is away'] });
        expect((await readMetrics(receiver.adminPort)).get('sluice_redis_up')).toBe(0);
      },
      1000,
      redis.thaw,
    );
  });
});

describe('when Redis is there, but its memory is full', () => {
  const command = async (name: string, ...args: string[]) => {
    const client = new Redis(redis.options);
    await client.call(name, ...args);
    await client.quit();
  };

  it('503 meanwhile, and all that was answered is handled in order', async () => {
    await survive(
      'full',
      () => command('CONFIG', 'SET', 'maxmemory', '1'),
      1500,
      () => command('CONFIG', 'SET', 'maxmemory', '0'),
    );
  });
});

describe('when Redis is away at the start', () => {
  it('the service starts, asks senders to come again, says why, and works once Redis is there', async () => {
    await redis.kill9();
    const service = await services.start({
      QUEUE_PREFIX: uniquePrefix(),
      HANDLERS: await services.handlers('newcomer.mjs'),
    });
    const readiness = await get(service.adminPort, '/readyz');
    expect(readiness.status).toBe(503);
    expect(JSON.parse(readiness.body)).toEqual({
      status: 'unavailable',
      reasons: ['Redis is away', 'the handlers are not registered yet'],
    });
    expect((await get(service.adminPort, '/healthz')).status).toBe(200);
    expect((await get(service.port, '/healthz')).status).toBe(200);
    const sender = createPlatform({ ports: () => [service.port], retryMs: 100 });
    try {
      const sent = sender.sendAll(planStreams({ name: 'boot', streams: 2, each: 5 }));
      await until('it is turned away', () => sender.refusals.length > 20);
      await redis.restart();
      await sent;
      await sender.send(plan({ stream: 'afterwards' }));
      expect(new Set(sender.refusals.map(({ status }) => status))).toEqual(new Set([503]));
      await until('it is ready', async () => (await get(service.adminPort, '/readyz')).status === 200);
      const runs = () => services.runs('newcomer');
      await until('all is handled', () => notDone(sender.delivered.values(), runs()).length === 0);
      expect(ranAgain(runs())).toEqual([]);
      expect(disorder(runs(), sender.delivered, { windowMs: WINDOW_MS })).toEqual([]);
    } finally {
      await sender.close();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPlatform, type Platform, startTraffic } from '../helpers/load-platform.js';
import { disorder, notDone, ranAgain } from '../helpers/load-record.js';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, type Services } from '../helpers/service.js';
import { until } from '../helpers/until.js';

const WINDOW_MS = 500;

let redis: TestRedis;
let services: Services;
let platform: Platform;

beforeAll(async () => {
  redis = await startTestRedis();
  services = await createServices({
    REDIS_URL: redis.url,
    QUEUE_PREFIX: uniquePrefix(),
    REORDER_WINDOW_MS: String(WINDOW_MS),
    REORDER_MISSING_START_MS: '2000',
  });
});

afterAll(async () => {
  await platform?.close();
  await services?.close();
  await redis?.stop();
});

describe('a worker with one handler more', () => {
  it('takes over from an old one under traffic: the new handler misses nothing, nor does the old', async () => {
    const receiver = await services.start({ ROLE: 'receiver' });
    const old = await services.start({ ROLE: 'worker', HANDLERS: await services.handlers('catalogue.mjs') });
    platform = createPlatform({ ports: () => [receiver.port] });
    const traffic = startTraffic(platform, 'rolling');
    await until('the old one is at work', () => services.runs().length > 50);

    const both = await services.handlers('catalogue.mjs', 'newcomer.mjs');
    const young = await services.start({ ROLE: 'worker', HANDLERS: both });
    const registeredAt = Date.parse((await young.line('handlers registered')).time);
    const answeredByThen = platform.delivered.size;
    await until('both work side by side', () => platform.delivered.size > answeredByThen + 100);
    expect(await old.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const answeredByNow = platform.delivered.size;
    await until('the new one works alone', () => platform.delivered.size > answeredByNow + 100);
    await traffic.stop();

    const all = [...platform.delivered.values()];
    const since = all.filter(({ sentAt }) => sentAt > registeredAt);
    expect(since.length).toBeGreaterThan(200);
    await until('the old handler has had all', () => notDone(all, services.runs()).length === 0);
    await until('the new handler has had its part', () => notDone(since, services.runs('newcomer')).length === 0);
    for (const handler of ['catalogue', 'newcomer']) {
      expect(ranAgain(services.runs(handler))).toEqual([]);
      expect(disorder(services.runs(handler), platform.delivered, { windowMs: WINDOW_MS })).toEqual([]);
    }
    const byOld = services.runs().filter(({ pid }) => pid === old.pid);
    expect(byOld.some(({ at }) => at > registeredAt)).toBe(true);
    expect(services.runs('newcomer').every(({ pid }) => pid === young.pid)).toBe(true);
  });
});

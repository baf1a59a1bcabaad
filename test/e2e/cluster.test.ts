import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRandom, keyOf, plan, planStreams, portions, shuffled } from '../helpers/load.js';
import { createPlatform, type Platform } from '../helpers/load-platform.js';
import { disorder, notDone, ranAgain } from '../helpers/load-record.js';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, type RunningService, type Services } from '../helpers/service.js';
import { until } from '../helpers/until.js';

const WINDOW_MS = 1000;
/** A lock, and two looks at it: see what a killed worker's delivery waits for. */
const RUNS_AGAIN_WITHIN_MS = 12_000;

let redis: TestRedis;
let services: Services;
let receivers: RunningService[];
let workers: RunningService[];
let platform: Platform;

beforeAll(async () => {
  redis = await startTestRedis();
  services = await createServices({
    REDIS_URL: redis.url,
    QUEUE_PREFIX: uniquePrefix(),
    REORDER_WINDOW_MS: String(WINDOW_MS),
    REORDER_MISSING_START_MS: '4000',
  });
  const HANDLERS = await services.handlers('catalogue.mjs');
  const starts = (count: number, env: Record<string, string>) =>
    Promise.all(Array.from({ length: count }, () => services.start(env)));
  [receivers, workers] = await Promise.all([starts(2, { ROLE: 'receiver' }), starts(3, { ROLE: 'worker', HANDLERS })]);
  platform = createPlatform({ ports: () => receivers.filter((one) => one.isRunning()).map(({ port }) => port) });
});

afterAll(async () => {
  await platform?.close();
  await services?.close();
  await redis?.stop();
});

const runs = () => services.runs();
const handled = () => until('all is handled', () => notDone(platform.delivered.values(), runs()).length === 0);

async function sendShuffled(name: string, streams: number, each = 8): Promise<void> {
  const random = createRandom(streams);
  const planned = planStreams({ name, streams, each, data: { takesMs: 2 } });
  for (const portion of portions(planned, 8)) await platform.sendAll(shuffled(portion, random, 0.3));
}

describe('two receivers and three workers', () => {
  it('hand over what comes out of order and repeatedly, in order and once', async () => {
    await sendShuffled('calm', 40);
    await handled();
    expect(platform.delivered.size).toBe(320);
    expect([...platform.delivered.values()].filter(({ ids }) => ids.size !== 1)).toEqual([]);
    expect([...platform.delivered.values()].some(({ duplicates }) => duplicates > 0)).toBe(true);
    expect(ranAgain(runs())).toEqual([]);
    expect(disorder(runs(), platform.delivered, { windowMs: WINDOW_MS })).toEqual([]);
    expect(new Set(runs().map(({ pid }) => pid))).toEqual(new Set(workers.map(({ pid }) => pid)));
  });

  it('run again what a killed worker was running, while everything else goes on', async () => {
    const gate = join(services.dir, 'gate');
    writeFileSync(gate, '');
    const held = plan({ stream: 'held', data: { heldBy: gate } });
    await platform.send(held);
    const first = await until('it runs', () => runs().find(({ stream }) => stream === 'held'));
    const victim = workers.find(({ pid }) => pid === first.pid) as RunningService;
    await platform.send(plan({ stream: 'held', n: 1, what: 'ended' }));
    const load = sendShuffled('meanwhile', 24);
    await until('the load is under way', () => platform.delivered.size > 360);

    await victim.end('SIGKILL');
    const killedAt = Date.now();
    rmSync(gate);
    await load;
    const again = await until(
      'it runs again',
      () => runs().find(({ stream, n, pid }) => stream === 'held' && n === 0 && pid !== victim.pid),
      { deadlineMs: RUNS_AGAIN_WITHIN_MS },
    );
    expect(again.attempt).toBe(1);
    expect(again.id).toBe(first.id);
    const others = runs().filter(({ stream, at }) => stream.startsWith('meanwhile') && at > killedAt && at < again.at);
    expect(others.length).toBeGreaterThan(50);

    await handled();
    expect(ranAgain(runs()).filter(({ pids }) => pids.length > 2 || pids[0] !== victim.pid)).toEqual([]);
    expect(disorder(runs(), platform.delivered, { windowMs: WINDOW_MS, killed: [victim.pid] })).toEqual([]);
    expect(
      runs()
        .filter(({ stream }) => stream === 'held')
        .map(keyOf),
    ).toEqual(['held/0', 'held/0', 'held/1']);
  });

  it('lose nothing that was answered when a receiver is killed under load', async () => {
    const before = platform.delivered.size;
    const load = sendShuffled('receiver', 32);
    await until('the load is under way', () => platform.delivered.size > before + 60);
    const [victim] = receivers;
    await victim?.end('SIGKILL');
    await load;
    await handled();
    expect(platform.delivered.size).toBe(before + 256);
    expect([...platform.delivered.values()].filter(({ ids }) => ids.size !== 1)).toEqual([]);
    const fromHere = runs().filter(({ stream }) => stream.startsWith('receiver'));
    expect(ranAgain(fromHere)).toEqual([]);
    expect(disorder(fromHere, platform.delivered, { windowMs: WINDOW_MS })).toEqual([]);
  });
});

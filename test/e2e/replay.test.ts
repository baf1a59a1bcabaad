import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groupBy, keyOf, plan, planStreams } from '../helpers/load.js';
import { createPlatform, type Platform, startTraffic } from '../helpers/load-platform.js';
import { disorder, notDone, overlaps, type Run, ranAgain } from '../helpers/load-record.js';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, type RunningService, type Services } from '../helpers/service.js';
import { until } from '../helpers/until.js';

const WINDOW_MS = 200;
const STREAMS = 20;
const EACH = 10;
const FAILED = STREAMS * EACH;

let redis: TestRedis;
let services: Services;
let platform: Platform;
let workerEnv: Record<string, string>;
let receiver: RunningService;
let worker: RunningService;

beforeAll(async () => {
  redis = await startTestRedis();
  services = await createServices({
    REDIS_URL: redis.url,
    QUEUE_PREFIX: uniquePrefix(),
    REORDER_WINDOW_MS: String(WINDOW_MS),
    REORDER_MISSING_START_MS: '1000',
    HANDLER_ATTEMPTS: '2',
    HANDLER_BACKOFF_MS: '10',
  });
  workerEnv = { ROLE: 'worker', HANDLERS: await services.handlers('catalogue.mjs', 'newcomer.mjs') };
  [receiver, worker] = await Promise.all([services.start({ ROLE: 'receiver' }), services.start(workerEnv)]);
  platform = createPlatform({ ports: () => [receiver.port] });
});

afterAll(async () => {
  await platform?.close();
  await services?.close();
  await redis?.stop();
});

const of = (name: string) => services.runs().filter(({ stream }) => stream.startsWith(name));
const replaysOf = (name: string) => of(name).filter(({ replayed }) => replayed);

/** Sends deliveries that all fail, while another handler does the same ones well; then mends what failed. */
async function failAll(name: string, data: object): Promise<void> {
  services.breakHandler('catalogue');
  await platform.sendAll(planStreams({ name, streams: STREAMS, each: EACH, data }));
  await until(
    'all have failed',
    async () => of(name).filter(({ outcome }) => outcome === 'failed').length === 2 * FAILED,
  );
  await until('all are listed', async () => {
    const { out } = await services.run(['failed', 'list', '--handler', 'catalogue', '--limit', '1000', '--json']);
    return (JSON.parse(out) as unknown[]).length === FAILED;
  });
  services.mendHandler('catalogue');
}

/** The places in which each stream's runs started. */
function placesByStream(runs: readonly Run[]): number[][] {
  return [...groupBy(runs, ({ stream }) => stream).values()].map((lane) => lane.map(({ n }) => n));
}

const inOrder = Array.from({ length: EACH }, (_, n) => n);

describe('failed deliveries of a handler that was mended', () => {
  it('are replayed by one command, each stream in order, beside live traffic, none twice', async () => {
    await failAll('first', { takesMs: 5 });
    const traffic = startTraffic(platform, 'live');
    await until('traffic flows', () => of('live').length > 20);
    const counts = await Promise.all(
      // Two people have the same idea.
      [1, 2].map(async () => {
        const command = await services.run(['failed', 'replay', '--handler', 'catalogue', '--json']);
        expect(command).toMatchObject({ code: 0, err: '' });
        return JSON.parse(command.out) as { replayed: number; already: number; lost: number };
      }),
    );
    const afterwards = planStreams({ name: 'first', streams: STREAMS, each: 1 }).map(({ stream }) =>
      plan({ stream, n: EACH, what: 'on-demand', data: { uri: 'https://cdn.example.com/afterwards.m3u8' } }),
    );
    await platform.sendAll(afterwards);
    expect(counts.map(({ replayed }) => replayed).reduce((sum, count) => sum + count)).toBe(FAILED);
    await until('the replays are done', () => replaysOf('first').length === FAILED);
    await traffic.stop();
    await until('all is handled', () => notDone(platform.delivered.values(), services.runs()).length === 0);

    const replays = replaysOf('first');
    expect(ranAgain(replays)).toEqual([]);
    expect(placesByStream(replays)).toEqual(Array.from({ length: STREAMS }, () => inOrder));
    expect(replays.filter(({ attempt }) => attempt !== 3)).toEqual([]);
    expect(overlaps(of('first'))).toEqual([]);
    const live = of('live');
    expect(ranAgain(live)).toEqual([]);
    expect(disorder(live, platform.delivered, { windowMs: WINDOW_MS })).toEqual([]);
    // What came while the stream was replayed waited its turn, and was not held for a replay itself.
    const last = of('first').filter(({ n }) => n === EACH);
    expect(last.map(({ replayed }) => replayed)).toEqual(Array.from({ length: STREAMS }, () => false));
    // The other handler had them all in the first place, and never again.
    await until(
      'the other had all',
      () => notDone(platform.delivered.values(), services.runs('newcomer')).length === 0,
    );
    expect(ranAgain(services.runs('newcomer'))).toEqual([]);
  });

  it('are replayed by the same command given again, after a kill -9 of the worker in the middle', async () => {
    await failAll('second', { takesMs: 50 });
    const command = ['failed', 'replay', '--handler', 'catalogue'];
    const first = await services.run(command);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toBe(`${FAILED} failed deliveries match\n${FAILED} replayed\n`);
    await until('it is in the middle', () => replaysOf('second').length >= FAILED / 4);
    await worker.end('SIGKILL');
    const killed = worker.pid;
    const doneByThen = replaysOf('second').filter(({ outcome }) => outcome === 'done').length;
    expect(doneByThen).toBeLessThan(FAILED - STREAMS);

    worker = await services.start(workerEnv);
    const second = await services.run(command);
    expect(second).toMatchObject({ code: 0, err: '' });
    const [, count, replayed, already] =
      /^(\d+) failed .*match\n(\d+) replayed(?:, (\d+) under way already)?\n$/.exec(second.out) ?? [];
    expect({ replayed, already }).toEqual({ replayed: '0', already: count });
    await until('all is handled', () => notDone(platform.delivered.values(), services.runs()).length === 0);

    const replays = replaysOf('second');
    expect(overlaps(of('second'), [killed])).toEqual([]);
    const again = ranAgain(replays);
    expect(again.filter(({ pids }) => pids.length > 2 || pids[0] !== killed)).toEqual([]);
    // What was running at the kill: the last of its lane that the killed worker started.
    const running = [
      ...groupBy(
        replays.filter(({ pid }) => pid === killed),
        ({ stream }) => stream,
      ).values(),
    ].map((lane) => keyOf(lane.at(-1) as Run));
    expect(again.map(({ key }) => key).filter((key) => !running.includes(key))).toEqual([]);
    const firstTimes = replays.filter((run, at) => replays.findIndex((other) => keyOf(other) === keyOf(run)) === at);
    expect(placesByStream(firstTimes)).toEqual(Array.from({ length: STREAMS }, () => inOrder));
    await until('none is listed any more', async () => {
      return (await services.run(['failed', 'list'])).out === 'No failed delivery matches.\n';
    });
  });
});

describe('the commands as processes', () => {
  it('list, show and discard what failed for good; exit 0, 1 or 2', async () => {
    await platform.send(plan({ stream: 'hopeless', data: { failsForGood: true, secretPart: 'of the body' } }));
    const failed = await until('it has failed', async () => {
      const { out } = await services.run(['failed', 'list', '--since', '2h', '--json']);
      return (JSON.parse(out) as { id: string; handler: string }[]).find(({ handler }) => handler === 'catalogue');
    });
    expect(failed).toMatchObject({ stream: 'hopeless', kind: 'started', attempts: 1, reason: 'it cannot be done' });
    const [list, shown, unknown, usage] = await Promise.all([
      services.run(['failed', 'list', '--handler', 'catalogue', '--since', '2h']),
      services.run(['failed', 'show', failed.id]),
      services.run(['failed', 'show', 'unknown']),
      services.run(['failed', 'list', '--since', 'soon']),
    ]);
    expect(list).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^FAILED AT .*\n.* hopeless .*\n$/) });
    expect(shown).toMatchObject({ code: 0, err: '', out: expect.stringContaining('of the body') });
    expect(unknown).toMatchObject({ code: 1, out: '', err: 'sluice: no delivery of unknown has failed\n' });
    expect(usage).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^sluice: [^\n]*'soon'[^\n]*\n$/) });

    const discarded = await services.run(['failed', 'discard', failed.id]);
    expect(discarded).toMatchObject({ code: 0, err: '', out: '2 failed deliveries match\n2 discarded\n' });
    expect((await services.run(['failed', 'list', '--json'])).out).toBe('[]\n');
    expect(worker.out()).not.toContain('of the body');
  });
});

describe('handlers that no worker has any more', () => {
  it('are listed, and go when they are removed', async () => {
    const list = async () => JSON.parse((await services.run(['handlers', 'list', '--json'])).out) as Listed[];
    expect(await list()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'newcomer',
          on: ['*'],
          workers: [expect.objectContaining({ pid: worker.pid })],
        }),
      ]),
    );
    const refused = await services.run(['handlers', 'remove', 'newcomer']);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /^sluice: 'newcomer' still has workers: .* \(pid \d+\)\. Stop them first, or use --force\.\n$/,
    );

    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await platform.sendAll(planStreams({ name: 'orphan', streams: 2, each: 2 }));
    worker = await services.start({ ...workerEnv, HANDLERS: await services.handlers('catalogue.mjs') });
    await until('the lanes of both are filled', async () =>
      (await list()).some(({ name, lanes }) => name === 'newcomer' && lanes === 2),
    );
    const removed = await services.run(['handlers', 'remove', 'newcomer']);
    expect(removed).toEqual({
      code: 0,
      signal: null,
      err: '',
      out: "removed 'newcomer', with 4 waiting and 0 failed deliveries\n",
    });
    expect((await list()).map(({ name }) => name)).toEqual(['catalogue']);
    const again = await services.run(['handlers', 'remove', 'newcomer']);
    expect(again).toMatchObject({
      code: 1,
      err: "sluice: there is no handler 'newcomer'; 'sluice handlers list' shows them\n",
    });
    await until('the other goes on', () => of('orphan').filter(({ outcome }) => outcome === 'done').length === 4);
  });
});

interface Listed {
  name: string;
  lanes: number;
}

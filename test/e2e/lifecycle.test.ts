import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { plan, planStreams } from '../helpers/load.js';
import { createPlatform, type Platform } from '../helpers/load-platform.js';
import { disorder, notDone, overlaps, ranAgain } from '../helpers/load-record.js';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, type RunningService, SECRET, type Services } from '../helpers/service.js';
import { until } from '../helpers/until.js';
import { signIndependently, toWire } from '../protocol/independent-signature.js';
import { openConnection } from '../receiver/raw-connection.js';

const WINDOW_MS = 200;
/** A stop takes a moment beside what it waits for. */
const MARGIN_MS = 700;

let redis: TestRedis;
let services: Services;
let HANDLERS: string;
const platforms: Platform[] = [];

beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: 'always' });
  services = await createServices({
    REDIS_URL: redis.url,
    REORDER_WINDOW_MS: String(WINDOW_MS),
    REORDER_MISSING_START_MS: '500',
  });
  HANDLERS = await services.handlers('catalogue.mjs');
});

afterEach(async () => {
  for (const platform of platforms.splice(0)) await platform.close();
});

afterAll(async () => {
  await services?.close();
  await redis?.stop();
});

/** A service with a prefix of its own, unless it is told one. */
const start = (env: Record<string, string> = {}) => services.start({ QUEUE_PREFIX: uniquePrefix(), HANDLERS, ...env });

function sendTo(service: RunningService): Platform {
  const platform = createPlatform({ ports: () => [service.port] });
  platforms.push(platform);
  return platform;
}

/** A file that holds up the runs of notifications that name it. */
function gate(name: string): { path: string; open(): void } {
  const path = join(services.dir, name);
  writeFileSync(path, '');
  return { path, open: () => rmSync(path, { force: true }) };
}

const runsOf = (stream: string) => services.runs().filter((run) => run.stream === stream);
const running = (stream: string) => until(`${stream} runs`, () => runsOf(stream).length > 0);

describe('a stop', () => {
  it('answers the request in flight, lets the handler end, and exits 0', async () => {
    const service = await start();
    await sendTo(service).send(plan({ stream: 'slow', data: { takesMs: 600 } }));
    await running('slow');
    const wire = toWire(signIndependently({ secret: SECRET, body: plan({ stream: 'in-flight' }).body(0) }));
    const connection = await openConnection(service.port);
    connection.send(wire.subarray(0, -10));
    // The service has the request's beginning once it answers another on a connection of its own.
    await sendTo(service).send(plan({ stream: 'probe' }));

    service.signal('SIGTERM');
    await service.line('stopping');
    await until('it takes no connection any more', () =>
      openConnection(service.port).then(
        (one) => one.destroy(),
        () => true,
      ),
    );
    connection.send(wire.subarray(-10));
    expect(await connection.next()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(runsOf('slow').map(({ outcome }) => outcome)).toEqual(['done']);
    expect(service.lines.map(({ msg }) => msg)).toContain('stopped');

    const next = await start({ QUEUE_PREFIX: service.env.QUEUE_PREFIX as string });
    await running('in-flight');
    expect(runsOf('slow').length).toBe(1);
    expect(await next.end('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it('interrupts what takes too long, within its time; that runs again and has lost no attempt', async () => {
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '1500', HANDLER_ATTEMPTS: '1' });
    const held = gate('held');
    await sendTo(service).send(plan({ stream: 'held', data: { heldBy: held.path } }));
    await running('held');
    // A sender that never ends its request takes its part of the time beside the handler, not before it.
    const slowSender = await openConnection(service.port);
    slowSender.send('POST /callback HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n');
    await sendTo(service).send(plan({ stream: 'probe-2' }));

    const stoppedAt = Date.now();
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(Date.now() - stoppedAt).toBeLessThan(1500 + MARGIN_MS);
    slowSender.destroy();
    expect(service.lines.filter(({ msg, outcome }) => msg === 'attempt' && outcome === 'interrupted').length).toBe(1);
    held.open();
    const next = await start({ QUEUE_PREFIX: service.env.QUEUE_PREFIX as string, HANDLER_ATTEMPTS: '1' });
    // At once: it went back into its queue, nobody had to find its worker dead.
    const again = await until('it runs again', () => runsOf('held')[1], { deadlineMs: 2000 });
    expect(again).toMatchObject({ attempt: 1, pid: next.pid });
    await until('it is done', () => runsOf('held')[1]?.outcome === 'done');
  });

  it('leaves a handler behind that does not heed it; that runs again and has lost no attempt', async () => {
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '500', HANDLER_ATTEMPTS: '1' });
    const stubborn = gate('stubborn');
    await sendTo(service).send(plan({ stream: 'stubborn', data: { heldStubbornlyBy: stubborn.path } }));
    await running('stubborn');
    const stoppedAt = Date.now();
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(Date.now() - stoppedAt).toBeLessThan(500 + MARGIN_MS);
    expect(service.lines.map(({ msg }) => msg)).toContain(
      'handlers were still running at the deadline: what was running runs again elsewhere',
    );
    stubborn.open();
    const next = await start({ QUEUE_PREFIX: service.env.QUEUE_PREFIX as string, HANDLER_ATTEMPTS: '1' });
    const again = await until('it runs again', () => runsOf('stubborn')[1], { deadlineMs: 12_000 });
    expect(again).toMatchObject({ attempt: 1, pid: next.pid });
  });

  it('ends at once by a second signal', async () => {
    const service = await start();
    const endless = gate('endless');
    await sendTo(service).send(plan({ stream: 'endless', data: { heldStubbornlyBy: endless.path } }));
    await running('endless');
    service.signal('SIGTERM');
    await service.line('stopping');
    const stoppedAt = Date.now();
    expect(await service.end('SIGINT')).toEqual({ code: 1, signal: null });
    expect(Date.now() - stoppedAt).toBeLessThan(MARGIN_MS);
    expect(service.lines).toContainEqual(expect.objectContaining({ msg: 'stopped at once', signal: 'SIGINT' }));
  });

  it.each(['all', 'receiver', 'worker'])('exits 0 in time while Redis is away (ROLE=%s)', async (ROLE) => {
    const service = await start({ ROLE, SHUTDOWN_TIMEOUT_MS: '500' });
    if (ROLE !== 'worker') await sendTo(service).send(plan({ stream: `away-${ROLE}` }));
    await redis.kill9();
    try {
      await service.line('Redis cannot be used; trying again');
      const stoppedAt = Date.now();
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(Date.now() - stoppedAt).toBeLessThan(500 + MARGIN_MS);
      const said = service.lines.map(({ msg }) => msg).filter((msg) => / at the deadline/.test(msg));
      expect(said).toEqual(
        ROLE === 'receiver' ? [] : ['Redis was away at the deadline: what was running runs again elsewhere'],
      );
    } finally {
      await redis.restart();
    }
  });
});

describe('an error that nobody catches, in a handler', () => {
  it('ends the process with a line in its log; the delivery runs again', async () => {
    const service = await start();
    const stray = gate('stray');
    await sendTo(service).send(plan({ stream: 'stray', data: { straysWith: stray.path, takesMs: 20 } }));
    expect(await service.ended).toEqual({ code: 1, signal: null });
    const fatal = service.lines.filter(({ level }) => level === 60);
    expect(fatal).toEqual([
      expect.objectContaining({
        origin: 'unhandledRejection',
        err: expect.objectContaining({
          message: 'nobody waits for this',
          stack: expect.stringContaining('_recording.mjs'),
        }),
      }),
    ]);
    expect(service.err()).toBe('');
    stray.open();
    const next = await start({ QUEUE_PREFIX: service.env.QUEUE_PREFIX as string });
    const again = await until('it runs again', () => runsOf('stray')[1], { deadlineMs: 12_000 });
    expect(again).toMatchObject({ attempt: 1, pid: next.pid });
  });
});

/** The process that serves a data folder. */
function privateRedis(dataDir: string): number {
  const { server } = JSON.parse(readFileSync(join(dataDir, 'redis', 'server.json'), 'utf8')) as {
    server: { pid: number };
  };
  return server.pid;
}

describe('a service with a private Redis', () => {
  it('loses nothing that it answered when it is killed, with its Redis or without', async () => {
    const env = { REDIS_URL: '', DATA_DIR: join(services.dir, 'private'), HANDLERS };
    let service = await services.start(env);
    const platform = createPlatform({ ports: () => [service.port] });
    platforms.push(platform);
    const killed: number[] = [];
    for (const name of ['alone', 'together']) {
      const sending = platform.sendAll(planStreams({ name, streams: 20, each: 6, data: { takesMs: 5 } }));
      const before = platform.delivered.size;
      await until('the load is under way', () => platform.delivered.size > before + 30);
      if (name === 'together') process.kill(privateRedis(env.DATA_DIR), 'SIGKILL');
      await service.end('SIGKILL');
      killed.push(service.pid);
      service = await services.start(env);
      await sending;
    }
    await until('all is handled', () => notDone(platform.delivered.values(), services.runs()).length === 0);
    const runs = services.runs().filter(({ stream }) => /^(alone|together)/.test(stream));
    expect(runs.length).toBeGreaterThanOrEqual(240);
    expect(disorder(runs, platform.delivered, { windowMs: WINDOW_MS, killed })).toEqual([]);
    expect(overlaps(runs, killed)).toEqual([]);
    expect(ranAgain(runs).filter(({ pids }) => !killed.includes(pids[0] as number))).toEqual([]);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

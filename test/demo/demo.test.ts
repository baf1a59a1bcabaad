import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { identifyProcess } from '../../src/redis/process-identity.js';
import { startTestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { type DemoProcess, startDemo } from './demo-process.js';

jest.setTimeout(90_000);

let folder: string;
let demo: DemoProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
});
afterEach(async () => {
  demo?.child.kill();
  await demo?.exit;
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Its temporary files lie in a folder of this test's own. */
async function start(env: Record<string, string> = {}): Promise<DemoProcess> {
  demo = await startDemo({ TMPDIR: folder, ...env });
  return demo;
}

/** The processes of the demo: its service, and the private Redis. */
async function processes(): Promise<number[]> {
  const [name = ''] = await readdir(folder);
  const record = JSON.parse(await readFile(join(folder, name, 'data/redis/server.json'), 'utf8'));
  return [record.owner.pid, record.server.pid];
}

/** One that has ended and that nobody has waited for yet does not run. */
function isRunning(pid: number): boolean {
  return identifyProcess(pid) !== undefined;
}

describe('npm run demo', () => {
  it('shows what was sent and what the handlers got, and ends by itself with exit code 0', async () => {
    const startedAt = performance.now();
    const { exit, out, err } = await start();
    const pids = await until('the demo has sent', async () => out().includes('3  What') && processes());
    expect({ code: await exit, err: err() }).toEqual({ code: 0, err: '' });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(pids.filter(isRunning)).toEqual([]);
    // What was asked of the platform.
    expect(out()).toMatch(/registered +POST http:\/\/127\.0\.0\.1:\d+\/callback$/m);
    expect(out()).toMatch(/published +https:\/\/media\.example\.com\/keynote\.mp4 as sandbox#2\.demo, its clock \d/);
    // What was sent, and answered: every fault at least once.
    expect(out()).toMatch(/ahead of started +200$/m);
    expect(out()).toMatch(/ 200, lost$/m);
    expect(out()).toMatch(/#\d+ again +200$/m);
    expect(out()).toMatch(/#\d+ again, tags reordered +200$/m);
    expect(out()).toMatch(/changed after signing +401$/m);
    expect(out()).toMatch(/another time than signed +401$/m);
    expect(out()).toMatch(/reason "digest": the body's SHA-256 is not the value of/);
    expect(out()).toMatch(/reason "signature": the signature is that of another secret/);
    // What failed.
    expect(out()).toMatch(/notify, sandbox#2\.demo, live m3u8: \S+ answered 503, \S+ answered 503, \S+ taken$/m);
    expect(Number(/meanwhile (\d+) other deliveries were taken/.exec(out())?.[1])).toBeGreaterThan(5);
    expect(out()).toMatch(/archive +sandbox#3\.demo +ended +parked +1 +the archive answered 422/);
    expect(out()).toContain('1 replayed');
    // What arrived.
    expect(out()).toMatch(/notify +\S+ \(try 3\) +\S+$/m);
    expect(out()).toMatch(/archive +\S+ \(try 2\) +\S+ +\S+$/m);
    expect(out()).toContain('27 requests: 19 notifications, 6 repeats, 2 forged');
    expect(out()).toContain('40/40: catalogue 6/6, notify 6/6, archive 9/9, audit 19/19');
    expect(out()).toMatch(/What arrived is what was sent: .*\n$/);
    // Plain, and no wider than a terminal of 100 columns.
    expect(out()).not.toContain('\u001b');
    expect(
      out()
        .split('\n')
        .filter((line) => line.length > 100),
    ).toEqual([]);
  });

  it('ends with exit code 1 where a notification got lost and another came out of order', async () => {
    const { exit, out } = await start({
      NODE_OPTIONS: `--import=${new URL('fixtures/faulty-network.mjs', import.meta.url).href}`,
    });
    expect(await exit).toBe(1);
    expect(out()).toContain('What arrived is not what was sent:');
    expect(out()).toMatch(/audit, stream sandbox#3\.demo: 'thumbnail' of \S+ was sent and never came/);
    expect(out()).toMatch(/audit, stream sandbox#2\.demo: 'live' of \S+ came after '[^']+' of/);
    expect(out()).not.toContain('What arrived is what was sent');
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const { child, exit, out, err } = await start();
    const pids = await until('the demo has sent', async () => out().includes('3  What') && processes());
    expect(pids.filter(isRunning)).toEqual(pids);
    child.kill('SIGINT');
    // npm passes on what the terminal has sent already.
    child.kill('SIGINT');
    expect(await exit).toBe(130);
    expect(err()).toBe('demo: ended by SIGINT; nothing of it is left behind\n');
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('says in one line that its service has died, and leaves no Redis behind', async () => {
    const { exit, out, err } = await start();
    const [service = 0, redis = 0] = await until(
      'the demo has sent',
      async () => out().includes('3  What') && processes(),
    );
    process.kill(service, 'SIGKILL');
    expect(await exit).toBe(1);
    expect(err()).toMatch(/^demo: the service ended \(SIGKILL\).*\n$/);
    expect(isRunning(redis)).toBe(false);
  });

  it('says in one line that there is no Redis', async () => {
    const { exit, err } = await start({ PATH: folder });
    expect(await exit).toBe(1);
    expect(err()).toMatch(
      /^demo: the service ended \(exit code 1\): sluice: neither redis-server nor .* REDIS_URL .*\n$/,
    );
  });

  it('uses the Redis of REDIS_URL where there is one, and leaves none of its keys there', async () => {
    const server = await startTestRedis();
    const redis = new Redis(server.options);
    try {
      await redis.set('somebody', 'else');
      const { exit, out } = await start({ REDIS_URL: server.url, HANDLERS: '/nowhere', REORDER_WINDOW_MS: '0' });
      expect(await exit).toBe(0);
      expect(out()).toContain('on the Redis of REDIS_URL');
      expect(await redis.keys('*')).toEqual(['somebody']);
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });
});

describe('the handlers of the demo', () => {
  it('have types that hold', async () => {
    const root = new URL('../../', import.meta.url).pathname;
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ];
    const files = (await readdir(join(root, 'examples/handlers'))).filter((name) => name.endsWith('.ts'));
    expect(files).toContain('catalogue.ts');
    const { stdout } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        ...options,
        '--allowImportingTsExtensions',
        ...files.map((name) => join(root, 'examples/handlers', name)),
      ],
      { cwd: join(root, 'examples'), encoding: 'utf8', timeout: 60_000 },
    );
    expect(stdout).toBe('');
  });
});

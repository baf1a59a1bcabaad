import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkServer } from '../../src/redis/check-server.js';
import { findServer } from '../../src/redis/find-server.js';
import { type PrivateServerOptions, startPrivateServer } from '../../src/redis/private-server.js';
import { PrivateServerMissingError } from '../../src/redis/private-server-missing-error.js';
import { identifyProcess } from '../../src/redis/process-identity.js';
import {
  cleanUp,
  cleanups,
  client,
  killServerOnRecord,
  pidOf,
  recordOf,
  startElsewhere,
  until,
} from './private-server-elsewhere.js';

let dataDir: string;
let lines: string[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-private-'));
  lines = [];
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // Whatever a test leaves running is on record.
  cleanups.push(() => killServerOnRecord(dataDir));
});
afterEach(cleanUp);

async function start(options: Partial<PrivateServerOptions> = {}) {
  const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { info: write, warn: write, error: write } as never;
  const server = await startPrivateServer({ dataDir, log, ...options });
  cleanups.push(() => server.stop());
  return server;
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a private Redis', () => {
  it('can be trusted with notifications, and opened by its user alone', async () => {
    const server = await start();
    const redis = client(server.socketPath);
    expect(server.owner).toBe(true);
    expect(await checkServer(redis)).toMatchObject({ ok: true, warnings: [], notes: [] });
    const settings = ['appendonly', 'appendfsync', 'maxmemory-policy', 'save', 'port', 'unixsocketperm'];
    const values = await Promise.all(settings.map(async (name) => ((await redis.config('GET', name)) as string[])[1]));
    expect(values).toEqual(['yes', 'always', 'noeviction', '', '0', '700']);
    expect(mode(server.socketPath)).toBe('700');
    expect(mode(dirname(server.socketPath))).toBe('700');
  });

  it('ends with its owner and keeps what it holds', async () => {
    const first = await start();
    const redis = client(first.socketPath);
    await redis.set('kept', 'yes');
    const pid = await pidOf(redis);
    redis.disconnect();
    await Promise.all([first.stop(), first.stop()]);
    expect(identifyProcess(pid)).toBeUndefined();
    expect(existsSync(first.socketPath)).toBe(false);

    const second = await start();
    expect(second.owner).toBe(true);
    expect(await client(second.socketPath).get('kept')).toBe('yes');
  });

  it('gets nothing of the environment, where the secrets are', async () => {
    process.env.APPLICATION_SECRET = 'hunter2';
    cleanups.push(() => delete process.env.APPLICATION_SECRET);
    const server = await start();
    const pid = await pidOf(client(server.socketPath));
    if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('hunter2');
    expect(readFileSync(join(dataDir, 'redis', 'redis.conf'), 'utf8')).not.toContain('hunter2');
  });

  it('lives where paths have spaces, quotes and symbolic links', async () => {
    const odd = join(dataDir, `it's a "data" folder`);
    const link = join(dataDir, 'link');
    mkdirSync(odd);
    symlinkSync(odd, link);
    cleanups.push(() => killServerOnRecord(odd));
    const first = await start({ dataDir: odd });
    const second = await start({ dataDir: link });
    expect(second).toMatchObject({ owner: false, socketPath: first.socketPath });
    expect(await client(first.socketPath).ping()).toBe('PONG');
  });

  it('has its socket elsewhere where the path to the data folder is too long for one', async () => {
    const deep = join(dataDir, 'd'.repeat(60), 'e'.repeat(60));
    cleanups.push(() => killServerOnRecord(deep));
    const first = await start({ dataDir: deep });
    expect(first.socketPath.startsWith(tmpdir())).toBe(true);
    expect(Buffer.byteLength(first.socketPath)).toBeLessThan(104);
    expect(mode(dirname(first.socketPath))).toBe('700');
    expect(await client(first.socketPath).ping()).toBe('PONG');

    const second = await start({ dataDir: deep });
    expect(second).toMatchObject({ owner: false, socketPath: first.socketPath });
    await second.stop();
    await first.stop();
    expect(existsSync(dirname(first.socketPath))).toBe(false);
  });

  it('does not use a folder for its socket that others may open', async () => {
    const deep = join(dataDir, 'd'.repeat(60), 'f'.repeat(60));
    const server = await start({ dataDir: deep });
    await server.stop();
    const folder = dirname(server.socketPath);
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    await expect(start({ dataDir: deep })).rejects.toThrow('expected a folder of this user that nobody else can open');
  });
});

describe('several processes on one data folder', () => {
  it('the second uses the Redis of the first, and does not end it', async () => {
    const first = await startElsewhere(dataDir);
    const second = await start();
    expect([first.owner, second.owner]).toEqual([true, false]);
    expect(second.socketPath).toBe(first.socketPath);
    const redis = client(second.socketPath);
    await redis.set('a', '1');
    await second.stop();
    expect(await redis.get('a')).toBe('1');
    await first.stop();
    await until(() => !existsSync(first.socketPath));
  });

  it('of those that start at once, one owns it', async () => {
    const processes = await Promise.all([startElsewhere(dataDir), startElsewhere(dataDir), startElsewhere(dataDir)]);
    const here = await Promise.all([start(), start(), start()]);
    const everybody = [...processes, ...here];
    expect(everybody.filter(({ owner }) => owner)).toHaveLength(1);
    expect(new Set(everybody.map(({ socketPath }) => socketPath)).size).toBe(1);
    const log = [...processes.map((other) => other.log()), ...lines].join('\n');
    expect(log.match(/private Redis started/g)).toHaveLength(1);
  });

  it('of those that start at once beside one that died, one takes it over', async () => {
    const dead = await startElsewhere(dataDir);
    await dead.kill9();
    const everybody = await Promise.all([start(), startElsewhere(dataDir), start(), startElsewhere(dataDir), start()]);
    expect(everybody.filter(({ owner }) => owner)).toHaveLength(1);
  });
});

describe('a crash', () => {
  it('of the owner leaves Redis running, and the next start takes it over and ends it', async () => {
    const first = await startElsewhere(dataDir);
    const redis = client(first.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    await first.kill9();
    expect(await redis.get('acknowledged')).toBe('yes');

    const second = await start();
    expect(second).toMatchObject({ owner: true, socketPath: first.socketPath });
    expect(await pidOf(redis)).toBe(pid);
    expect(recordOf(dataDir).owner.pid).toBe(process.pid);
    redis.disconnect();
    await second.stop();
    expect(identifyProcess(pid)).toBeUndefined();
  });

  it('of everything loses nothing', async () => {
    const first = await startElsewhere(dataDir);
    const redis = client(first.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    await first.kill9();
    process.kill(pid, 'SIGKILL');
    await until(() => identifyProcess(pid) === undefined);

    const second = await start();
    expect(second.owner).toBe(true);
    expect(await redis.get('acknowledged')).toBe('yes');
    expect(await pidOf(redis)).not.toBe(pid);
  });

  it('of Redis is healed: it is started again, on the same socket and data', async () => {
    const server = await start();
    const redis = client(server.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    process.kill(pid, 'SIGKILL');
    await until(() => identifyProcess(pid) === undefined);

    expect(await redis.get('acknowledged')).toBe('yes');
    expect(await pidOf(redis)).not.toBe(pid);
    expect(server.owner).toBe(true);
    expect(lines).toContainEqual(expect.stringContaining('the private Redis has died; starting it again'));
  });

  it('of a Redis that was taken over is healed as well', async () => {
    const first = await startElsewhere(dataDir);
    const redis = client(first.socketPath);
    const pid = await pidOf(redis);
    await first.kill9();
    const second = await start();
    process.kill(pid, 'SIGKILL');
    await until(() => identifyProcess(pid) === undefined);
    expect(await redis.set('a', '1')).toBe('OK');
    expect(second.owner).toBe(true);
  });

  it('after crash of Redis is not healed for ever: it says that it gave up', async () => {
    let lost: Error | undefined;
    const server = await start({
      onLost: (error) => {
        lost = error;
      },
    });
    const killed = new Set<number>();
    await until(() => {
      if (!existsSync(join(dataDir, 'redis', 'server.json'))) return lost;
      const { pid } = recordOf(dataDir).server;
      if (!killed.has(pid) && existsSync(server.socketPath)) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
      return lost;
    });
    expect(killed.size).toBe(5);
    expect(lost?.message).toMatch(/^the private Redis died 5 times within a minute: see .*redis\.log$/);
    expect(lines.at(-1)).toContain('it is not started again');
    await server.stop();
  });

  it('that took the socket away ends the server that nobody can reach, before another is started', async () => {
    const first = await startElsewhere(dataDir);
    const redis = client(first.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    await first.kill9();
    redis.disconnect();
    rmSync(first.socketPath);

    const second = await start();
    expect(identifyProcess(pid)).toBeUndefined();
    expect(await client(second.socketPath).get('acknowledged')).toBe('yes');
  });
});

describe('stopping', () => {
  it('kills a Redis that does not end', async () => {
    const server = await start({ stopTimeoutMs: 200 });
    const redis = client(server.socketPath);
    const pid = await pidOf(redis);
    redis.disconnect();
    process.kill(pid, 'SIGSTOP');
    await server.stop();
    expect(identifyProcess(pid)).toBeUndefined();
    expect(lines.at(-1)).toContain('did not end in time and was killed');
  });

  it('an interrupt from the terminal reaches Sluice alone', async () => {
    const owner = await startElsewhere(dataDir);
    const interrupted = once(owner.child.stdout as NodeJS.ReadableStream, 'data');
    // As a terminal does: to the whole group of processes in the foreground.
    process.kill(-(owner.child.pid as number), 'SIGINT');
    expect(String(await interrupted)).toBe('interrupted\n');
    const redis = client(owner.socketPath);
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
    await owner.stop();
  });

  it('leaves no process, socket or lock, only data', async () => {
    const server = await start();
    await server.stop();
    expect(readdirSync(join(dataDir, 'redis')).sort()).toEqual(['appendonlydir', 'redis.conf', 'redis.log']);
  });
});

describe('what cannot be started', () => {
  it('no server program: one line says how to get one', async () => {
    for (const path of ['', dataDir]) {
      const error = await start({ path }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(PrivateServerMissingError);
      expect((error as Error).message).toBe(
        'neither redis-server nor valkey-server is on the PATH: install one (Debian, Ubuntu: apt-get install redis-server; ' +
          'Alpine: apk add redis; Fedora: dnf install valkey; macOS: brew install redis), or set REDIS_URL to a Redis that runs elsewhere',
      );
    }
  });

  it('a program of another name will do: valkey-server', async () => {
    const bin = join(dataDir, 'bin');
    mkdirSync(bin);
    symlinkSync(findServer(process.env.PATH) as string, join(bin, 'valkey-server'));
    expect((await start({ path: bin })).owner).toBe(true);
  });

  it('one that is too old', async () => {
    const old = join(dataDir, 'redis-server');
    writeFileSync(old, '#!/bin/sh\necho "Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64"\n');
    chmodSync(old, 0o755);
    await expect(start({ path: dataDir })).rejects.toThrow(
      `${old} is of version 6.0.16, expected 6.2 or newer: install one`,
    );
  });

  it('one whose data is broken: the error has the end of its log', async () => {
    const first = await start();
    const redis = client(first.socketPath);
    await redis.set('a', '1');
    redis.disconnect();
    await first.stop();
    const folder = join(dataDir, 'redis', 'appendonlydir');
    const file = readdirSync(folder).find((name) => name.endsWith('.incr.aof')) as string;
    writeFileSync(join(folder, file), `nonsense\r\n${readFileSync(join(folder, file))}`);
    await expect(start()).rejects.toThrow(/the private Redis ended .*Bad file format/s);
  });
});

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { checkServer } from '../../src/redis/check-server.js';
import { startTestRedis, type TestRedisOptions } from '../helpers/redis.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function client(options?: TestRedisOptions): Promise<Redis> {
  const server = await startTestRedis(options);
  cleanups.push(() => server.stop());
  const redis = new Redis(server.options);
  cleanups.push(() => redis.disconnect());
  return redis;
}

/** Speaks just enough of the protocol to answer INFO, with each answer in turn and then the last for ever. */
async function fakeServer(answers: string[], config = '-ERR unknown command'): Promise<Redis> {
  let asked = 0;
  const server: Server = createServer((socket) => {
    socket.on('data', (chunk) => {
      for (const [, command] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        const name = command?.toUpperCase();
        if (name === 'INFO') {
          const answer = answers[Math.min(asked++, answers.length - 1)] as string;
          socket.write(answer.startsWith('-') ? `${answer}\r\n` : `$${answer.length}\r\n${answer}\r\n`);
        } else if (name === 'CONFIG') socket.write(`${config}\r\n`);
        else if (name === 'HELLO') socket.write("-ERR unknown command 'HELLO'\r\n");
        else socket.write('+OK\r\n');
      }
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  await once(server, 'listening');
  const redis = new Redis({ port: (server.address() as AddressInfo).port, enableReadyCheck: false });
  cleanups.push(() => redis.disconnect());
  return redis;
}

const info = (fields: Record<string, string>) =>
  Object.entries({
    redis_version: '7.2.4',
    role: 'master',
    maxmemory_policy: 'noeviction',
    aof_enabled: '1',
    ...fields,
  })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('# Section\r\n');

describe('checkServer', () => {
  it('has nothing to say against a server as it should be', async () => {
    const redis = await client({ appendfsync: 'always' });
    expect(await checkServer(redis)).toEqual({
      ok: true,
      version: expect.stringMatching(/^(Redis|Valkey) \d+\.\d+\.\d+/),
      warnings: [],
      notes: [],
    });
  });

  it.each(['allkeys-lru', 'volatile-ttl'])('refuses one that evicts by %s', async (policy) => {
    const redis = await client({ settings: { 'maxmemory-policy': policy } });
    expect(await checkServer(redis)).toEqual({
      ok: false,
      problem: expect.stringMatching(
        new RegExp(
          `expected maxmemory-policy noeviction, received ${policy}\\. .*CONFIG SET maxmemory-policy noeviction$`,
        ),
      ),
    });
  });

  it('warns of one without an append-only file', async () => {
    const redis = await client({ settings: { appendonly: 'no' } });
    expect(await checkServer(redis)).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('a crash of Redis loses acknowledged notifications')],
      notes: [],
    });
  });

  it('notes that everysec may lose a second', async () => {
    const redis = await client({ appendfsync: 'everysec' });
    expect(await checkServer(redis)).toMatchObject({
      ok: true,
      warnings: [],
      notes: [expect.stringContaining('Redis has appendfsync everysec')],
    });
  });

  it('refuses a replica, and names its master', async () => {
    const redis = await client();
    await redis.replicaof('127.0.0.1', '1');
    expect(await checkServer(redis)).toEqual({
      ok: false,
      problem: 'This Redis is a read-only replica: expected its master. Point REDIS_URL to it (127.0.0.1:1).',
    });
  });

  it('refuses a node of a cluster', async () => {
    const redis = await client({ settings: { 'cluster-enabled': 'yes' } });
    expect(await checkServer(redis)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('node of a cluster'),
    });
  });

  it('refuses what is older than 6.2', async () => {
    for (const version of ['6.0.16', '5.0.7', '2.8.0']) {
      const redis = await fakeServer([info({ redis_version: version })]);
      expect(await checkServer(redis)).toEqual({
        ok: false,
        problem: `Redis ${version} is too old: expected Redis 6.2 or newer, or Valkey. Upgrade the server.`,
      });
    }
    for (const version of ['6.2.0', '7.0.15', '8.10.1', '10.0.0']) {
      expect(await checkServer(await fakeServer([info({ redis_version: version })]))).toMatchObject({ ok: true });
    }
  });

  it('takes Valkey by the version of Redis that it is compatible with, under its own name', async () => {
    const redis = await fakeServer([info({ server_name: 'valkey', valkey_version: '8.1.1' })]);
    expect(await checkServer(redis)).toMatchObject({ ok: true, version: 'Valkey 8.1.1 (compatible with Redis 7.2.4)' });
  });

  it('does without CONFIG, as providers often forbid it', async () => {
    const redis = await client({ appendfsync: 'everysec' });
    await redis.acl('SETUSER', 'default', '-config');
    expect(await checkServer(redis)).toMatchObject({ ok: true, warnings: [], notes: [] });
  });

  it('says so where neither INFO nor CONFIG tells whether it evicts', async () => {
    const redis = await fakeServer([info({}).replace('maxmemory_policy:noeviction\r\n', '')]);
    expect(await checkServer(redis)).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('make sure that maxmemory-policy is noeviction')],
    });
  });

  it('says what to do where INFO is forbidden', async () => {
    const redis = await client();
    await redis.acl('SETUSER', 'default', '-info');
    expect(await checkServer(redis)).toEqual({ ok: false, problem: expect.stringContaining("give it '+info'") });
  });

  it('warns of an append-only file that cannot be written', async () => {
    const redis = await fakeServer([info({ aof_last_write_status: 'err' })]);
    expect(await checkServer(redis)).toMatchObject({
      warnings: [expect.stringContaining('See its log, and its disk')],
    });
  });

  it('waits while it loads its data', async () => {
    const loading = '-LOADING Redis is loading the dataset in memory';
    const redis = await fakeServer([loading, info({ loading: '1' }), info({ loading: '0' })]);
    expect(await checkServer(redis)).toMatchObject({ ok: true });
  });

  it('rejects when it goes on loading, and when it is away: that says nothing of the server', async () => {
    const redis = await fakeServer([info({ loading: '1' })]);
    await expect(checkServer(redis, { loadingTimeoutMs: 150 })).rejects.toThrow('still loading its data after 150 ms');

    const gone = await startTestRedis();
    await gone.stop();
    const away = new Redis({ ...gone.options, lazyConnect: true, retryStrategy: () => null });
    away.on('error', () => {});
    await expect(checkServer(away)).rejects.toThrow();
  });
});

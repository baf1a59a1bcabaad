import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createProducerConnection, createWorkerConnection, redisOptions } from '../../src/redis/connect.js';
import { startTestRedis, type TestRedis, type TestRedisOptions } from '../helpers/redis.js';

const pingProgram = fileURLToPath(new URL('ping.ts', import.meta.url));
const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options?: TestRedisOptions): Promise<TestRedis> {
  const server = await startTestRedis(options);
  cleanups.push(() => server.stop());
  return server;
}

function logLines() {
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, log: { error: at('error'), info: at('info') } as never };
}

function producer(source: string) {
  const { lines, log } = logLines();
  const redis = createProducerConnection(redisOptions(source), log);
  cleanups.push(() => redis.disconnect());
  return { redis, lines };
}

function worker(source: string) {
  const { lines, log } = logLines();
  const redis = createWorkerConnection(redisOptions(source), log);
  cleanups.push(() => redis.disconnect());
  return { redis, lines };
}

/** Unlike `once` of node:events, unmoved by errors: an outage has many. */
const seen = (redis: Redis, event: string) => new Promise<void>((resolve) => redis.once(event, () => resolve()));
const ready = (redis: Redis) => (redis.status === 'ready' ? Promise.resolve() : seen(redis, 'ready'));

describe('a connection of a producer', () => {
  it('fails at once while Redis is away, and works when it is back', async () => {
    const server = await start();
    const { redis, lines } = producer(server.url);
    await redis.connect();
    await server.kill9();
    if (redis.status === 'ready') await seen(redis, 'close');

    const before = performance.now();
    await expect(redis.set('a', '1')).rejects.toThrow();
    expect(performance.now() - before).toBeLessThan(100);

    await Promise.all([seen(redis, 'ready'), server.restart()]);
    expect(await redis.set('a', '1')).toBe('OK');
    expect(lines.at(-1)).toEqual({
      level: 'info',
      fields: { connection: 'producer', outageMs: expect.any(Number) },
      message: 'Redis is back',
    });
  });

  it('rejects what was under way when Redis died', async () => {
    const server = await start();
    const { redis } = producer(server.url);
    await redis.connect();
    server.freeze();
    const underWay = redis.set('a', '1');
    underWay.catch(() => {});
    await server.kill9();
    await expect(underWay).rejects.toThrow();
  });

  it('gives up a connection that has been silent for five seconds', async () => {
    const server = await start();
    const { redis, lines } = producer(server.url);
    await redis.connect();
    server.freeze();
    await expect(redis.ping()).rejects.toThrow();
    expect(lines[0]?.fields.reason).toMatch(/Socket timeout/);
    server.thaw();
    await ready(redis);
    expect(await redis.ping()).toBe('PONG');
  });

  it('goes on trying when the first try to connect failed', async () => {
    const server = await start();
    await server.kill9();
    const { redis, lines } = producer(server.url);
    await expect(redis.connect()).rejects.toThrow();
    await Promise.all([seen(redis, 'ready'), server.restart()]);
    expect(await redis.ping()).toBe('PONG');
    expect(lines[0]).toEqual({
      level: 'error',
      fields: { connection: 'producer', reason: expect.stringContaining('ECONNREFUSED') },
      message: 'Redis cannot be used; trying again',
    });
  });

  it('connects again once, however many commands a replica refuses', async () => {
    const server = await start();
    const { redis } = producer(server.url);
    await redis.connect();
    await redis.replicaof('127.0.0.1', '1');
    let disconnects = 0;
    const { disconnect } = redis;
    redis.disconnect = (reconnect) => {
      disconnects += 1;
      disconnect.call(redis, reconnect);
    };
    const reconnecting = seen(redis, 'reconnecting');
    const refusals = await Promise.allSettled(Array.from({ length: 20 }, () => redis.set('a', '1')));
    expect(refusals.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    await reconnecting;
    expect(disconnects).toBe(1);
    await ready(redis);
    await redis.replicaof('NO', 'ONE');
  });

  it('connects again when it finds itself at a replica', async () => {
    const server = await start();
    const { redis } = producer(server.url);
    await redis.connect();
    await redis.replicaof('127.0.0.1', '1');
    const reconnecting = seen(redis, 'reconnecting');
    await expect(redis.set('a', '1')).rejects.toThrow('READONLY');
    await reconnecting;
    await ready(redis);
    await redis.replicaof('NO', 'ONE');
    expect(await redis.set('a', '1')).toBe('OK');
  });
});

describe('a connection of a worker', () => {
  it('keeps commands while Redis is away and sends them when it is back', async () => {
    const server = await start();
    const { redis } = worker(server.url);
    await ready(redis);
    await server.kill9();
    const waiting = redis.set('a', '1');
    await server.restart();
    expect(await waiting).toBe('OK');
  });

  it('sends again what was under way when Redis died', async () => {
    const server = await start();
    const { redis } = worker(server.url);
    await ready(redis);
    server.freeze();
    const underWay = redis.set('a', '1');
    await server.restart();
    expect(await underWay).toBe('OK');
  });

  it('waits for a Redis that was not there at all', async () => {
    const server = await start();
    await server.kill9();
    const { redis } = worker(server.url);
    const waiting = redis.ping();
    await seen(redis, 'reconnecting');
    await server.restart();
    expect(await waiting).toBe('PONG');
  });
});

describe('whom a connection reaches', () => {
  it('a user with a password of special characters, in a database', async () => {
    const server = await start();
    const admin = new Redis(server.options);
    await admin.acl('SETUSER', 'us@er', 'on', '>p@ss/w:rd%', '~*', '+@all');
    const { redis } = producer(`redis://us%40er:p%40ss%2Fw%3Ard%25@127.0.0.1:${server.options.port}/3`);
    await redis.connect();
    expect(await redis.acl('WHOAMI')).toBe('us@er');
    await redis.set('in', 'three');
    await admin.select(3);
    expect(await admin.get('in')).toBe('three');
    admin.disconnect();
  });

  it('a Unix socket', async () => {
    const server = await start({ settings: { unixsocket: 'redis.sock', unixsocketperm: '700' } });
    const socketPath = join(server.dir, 'redis.sock');
    for (const source of [`unix://${socketPath}`, { socketPath }]) {
      const redis = createProducerConnection(redisOptions(source), logLines().log);
      cleanups.push(() => redis.disconnect());
      await redis.connect();
      expect(await redis.client('INFO')).toContain('addr=redis.sock:0');
    }
  });

  it('TLS, checked against the authorities that Node was given', async () => {
    const server = await start();
    const fixture = (name: string) => join(fixtures, name);
    const front = createServer(
      { key: readFileSync(fixture('localhost-key.pem')), cert: readFileSync(fixture('localhost-cert.pem')) },
      (socket) => {
        const back = connect(server.options.port, '127.0.0.1');
        socket.pipe(back).pipe(socket);
        for (const end of [socket, back]) end.on('error', () => {});
      },
    ).listen(0, '127.0.0.1');
    cleanups.push(() => new Promise((resolve) => front.close(resolve)));
    await once(front, 'listening');
    const ping = async (host: string, env: Record<string, string>) => {
      const url = `rediss://${host}:${(front.address() as AddressInfo).port}?family=4`;
      const args = ['--import', 'jiti/register', pingProgram, url];
      return (await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })).stdout.trim();
    };
    const trusted = { NODE_EXTRA_CA_CERTS: fixture('localhost-cert.pem') };
    expect(await Promise.all([ping('localhost', trusted), ping('localhost', {}), ping('127.0.0.1', trusted)])).toEqual([
      'PONG',
      expect.stringMatching(/self-signed certificate/),
      expect.stringMatching(/IP: 127\.0\.0\.1 is not in the cert's list/),
    ]);
  });

  it('never one that a bad URL names: that throws, without the URL', () => {
    expect(() => redisOptions('redis://:hunter2@h/x')).toThrow(/^Redis URL: expected (?!.*hunter2)/);
  });
});

describe('a wrong password', () => {
  it('is an error that is logged without any password', async () => {
    const server = await start({ settings: { requirepass: 'the-right-one' } });
    const { redis, lines } = producer(`redis://:hunter2@127.0.0.1:${server.options.port}`);
    await expect(redis.connect()).rejects.toThrow();
    expect(lines[0]?.fields.reason).toMatch(/^WRONGPASS/);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
});

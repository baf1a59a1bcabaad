import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';

let redis: TestRedis | undefined;
afterEach(() => redis?.stop());

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the Redis of tests', () => {
  it('keeps what was written over a kill -9 and a restart, on the same address', async () => {
    redis = await startTestRedis({ appendfsync: 'always' });
    const client = new Redis(redis.url, { retryStrategy: () => 20 });
    client.on('error', () => {});
    await client.set('kept', 'yes');
    const first = redis.pid;

    await redis.kill9();
    expect(isAlive(first)).toBe(false);
    await redis.restart();

    expect(redis.pid).not.toBe(first);
    expect(await client.get('kept')).toBe('yes');
    client.disconnect();
  });

  it('answers nothing while frozen, and everything afterwards', async () => {
    redis = await startTestRedis();
    const client = new Redis({ ...redis.options, commandTimeout: 200 });
    await client.ping();

    redis.freeze();
    await expect(client.ping()).rejects.toThrow('Command timed out');
    redis.thaw();

    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });

  it('leaves no process and no folder behind', async () => {
    redis = await startTestRedis();
    redis.freeze();
    await redis.stop();
    expect(isAlive(redis.pid)).toBe(false);
    expect(existsSync(redis.dir)).toBe(false);
  });

  it('gives prefixes that differ, in braces', () => {
    expect(uniquePrefix()).toMatch(/^\{test-[0-9a-f]{8}\}$/);
    expect(uniquePrefix()).not.toBe(uniquePrefix());
  });
});

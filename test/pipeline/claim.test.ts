import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPipeline, type TestPipeline } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';

let server: TestRedis;
let pipeline: TestPipeline;
beforeAll(async () => {
  server = await startTestRedis();
  pipeline = createPipeline(server);
});
afterAll(async () => {
  await pipeline.close();
  await server.stop();
});

describe('a job that waited to claim while Redis was away', () => {
  it('does not run once its lock has run out, or is another run’s', async () => {
    const { redis, keys, scripts } = pipeline;
    const lock = keys.queue('handler-catalogue', 'id-1:lock');
    await redis.hset(keys.flight('catalogue', 'stream-1'), 'id', 'id-1');
    await redis.hset(keys.notification('id-1'), 'data', '{}');
    await redis.zadd(keys.lane('catalogue', 'stream-1'), 8, 'id-1');

    expect(await scripts.claim('catalogue', 'stream-1', 'id-1', 'mine')).toEqual({ state: 'lost' });
    await redis.set(lock, 'of another run');
    expect(await scripts.claim('catalogue', 'stream-1', 'id-1', 'mine')).toEqual({ state: 'lost' });
    expect(await redis.hget(keys.flight('catalogue', 'stream-1'), 'fence')).toBeNull();
    await redis.set(lock, 'mine');
    expect(await scripts.claim('catalogue', 'stream-1', 'id-1', 'mine')).toMatchObject({ state: 'run' });
  });
});

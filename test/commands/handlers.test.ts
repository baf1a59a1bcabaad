import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { handlersCommand } from '../../src/commands/handlers.js';
import { notification } from '../helpers/notifications.js';
import { createPipeline, recorder, type TestPipeline } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { runCommand } from './run-command.js';

let server: TestRedis;
let pipeline: TestPipeline;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  pipeline = createPipeline(server, { reorderWindowMs: 10, reorderMissingStartMs: 10 });
  await until('the connections are ready', () => pipeline.producer.status === 'ready');
});
afterEach(() => pipeline.close());

const handlers = (...words: string[]) =>
  runCommand(handlersCommand, ['handlers', ...words], { REDIS_URL: server.url, QUEUE_PREFIX: pipeline.prefix });

describe('handlers list', () => {
  it('says what to do where there is none', async () => {
    expect(await handlers('list')).toEqual({
      code: 0,
      err: '',
      out: 'No handler is registered: a worker registers its handlers when it starts.',
    });
    expect((await handlers('list', '--json')).out).toBe('[]');
  });

  it('shows each with its kinds, workers, unfinished streams and failed deliveries', async () => {
    const broken = recorder('broken', { on: ['started', 'ended'], attempts: 1, onExhausted: 'park' }, () => {
      throw new Error('broken');
    });
    await pipeline.startWorker([broken.handler, recorder('fine').handler]);
    await pipeline.accept(notification({ stream: 'stream-1' }));
    await until('it has failed', async () => (await pipeline.failed.count()) === 1);
    await until('the worker is listed', async () => (await handlers('list')).out.includes(`:${process.pid}`));
    const rows = (await handlers('list')).out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual(['HANDLER', 'ON', 'WORKERS', 'STREAMS', 'FAILED']);
    const worker = expect.stringMatching(new RegExp(`^\\S+:${process.pid}$`));
    expect(rows).toContainEqual(['broken', 'started,ended', worker, '1', '1']);
    expect(rows).toContainEqual(['fine', '*', worker, '0', '0']);
  });
});

describe('handlers remove', () => {
  it('refuses while a worker is alive for it, unless it is forced', async () => {
    const worker = await pipeline.startWorker([recorder('fine').handler]);
    await until('the worker is listed', async () => (await handlers('list')).out.includes(`:${process.pid}`));
    const refused = await handlers('remove', 'fine');
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 1, out: '' });
    expect(refused.err).toMatch(
      new RegExp(
        `^sluice: 'fine' still has workers: \\S+ \\(pid ${process.pid}\\)\\. Stop them first, or use --force\\.$`,
      ),
    );
    expect((await handlers('remove', 'fine', '--force')).code).toBe(0);
    await worker.close(1000);
  });

  it('takes down what waits and what has failed, and says how much', async () => {
    const broken = recorder('broken', { attempts: 1, onExhausted: 'park' }, () => {
      throw new Error('broken');
    });
    const worker = await pipeline.startWorker([broken.handler]);
    await pipeline.accept(notification({ stream: 'stream-1' }));
    await pipeline.accept(notification({ what: 'ended', stream: 'stream-1' }));
    await until(
      'both are there',
      async () => (await pipeline.redis.zcard(pipeline.keys.lane('broken', 'stream-1'))) === 2,
    );
    await until('one has failed', async () => (await pipeline.failed.count()) === 1);
    await worker.close(1000);
    const removed = await handlers('remove', 'broken', '--json');
    expect(JSON.parse(removed.out)).toEqual({ name: 'broken', waiting: 1, failed: 1 });
    expect((await handlers('list', '--json')).out).toBe('[]');
    expect(await handlers('remove', 'broken')).toEqual({
      code: 1,
      out: '',
      err: "sluice: there is no handler 'broken'; 'sluice handlers list' shows them",
    });
  });

  it('is told by the help, with an example; a missing name exits 2', async () => {
    expect((await handlers('remove', '--help')).out).toContain('Example:\n  sluice handlers remove catalogue');
    expect((await handlers('list', '--help')).out).toContain('Example:\n  sluice handlers list');
    expect(await handlers('remove')).toMatchObject({ code: 2, out: '' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Handler } from '../../src/handlers/handler.js';
import { notification } from '../helpers/notifications.js';
import { createPipeline, recorder } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: 'no' });
});
afterAll(() => server.stop());

const STREAMS = 100;
const ROUNDS = 4;
/** Far more than what the bad ones cost in computing time; far less than to wait behind one of their back-offs or runs. */
const FACTOR = 4;
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

interface Latencies {
  median: number;
  p95: number;
}

function latenciesOf(values: readonly number[]): Latencies {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] as number;
  return { median: at(0.5), p95: at(0.95) };
}

/** From acceptance to the good handler, over 100 streams in rounds, with or without something bad beside them. */
async function run(bad: { handlers: readonly Handler[]; streams: readonly string[]; attempts: () => number }) {
  const pipeline = createPipeline(server, { reorderWindowMs: 50, reorderMissingStartMs: 50 });
  try {
    await until('the connections are ready', () => pipeline.producer.status === 'ready');
    const sentAt = new Map<string, number>();
    const took: number[] = [];
    // More bad streams than it may run at a time: those that wait for another attempt must not count.
    const options = { concurrency: 10, attempts: 100, backoffMs: 200 };
    const good = recorder('good', options, ({ notification: { data } }) => {
      if (bad.streams.includes(data.streamId as string)) throw new Error('this stream always fails');
      took.push(performance.now() - (sentAt.get(`${data.streamId} ${data.round}`) as number));
    });
    await pipeline.startWorker([good.handler, ...bad.handlers]);
    for (const stream of bad.streams) {
      for (const number of upTo(5)) await pipeline.accept(notification({ stream, data: { number } }));
    }
    await until('the bad ones fail', () => bad.attempts() >= bad.handlers.length * 20);
    for (const round of upTo(ROUNDS)) {
      for (const number of upTo(STREAMS)) {
        const stream = `good-${number}`;
        sentAt.set(`${stream} ${round}`, performance.now());
        await pipeline.accept(notification({ stream, data: { round } }));
      }
      await until('the round arrived', () => took.length === (round + 1) * STREAMS);
    }
    const failing = good.seen.length - took.length;
    expect(failing).toBeGreaterThanOrEqual(bad.streams.length);
    return latenciesOf(took);
  } finally {
    await pipeline.close();
  }
}

const NOTHING_BAD = { handlers: [], streams: [], attempts: () => 0 };

/** The same run without and with bad ones beside it: how much longer it took, as factors. */
async function comparePair(): Promise<Latencies> {
  const failing = recorder('failing', { attempts: 100, backoffMs: 200 }, () => {
    throw new Error('this handler always fails');
  });
  const hanging = recorder('hanging', { concurrency: 5, timeoutMs: 60_000 }, ({ context }) => {
    return new Promise((_, reject) => context.signal.addEventListener('abort', reject));
  });
  const alone = await run(NOTHING_BAD);
  const beside = await run({
    handlers: [failing.handler, hanging.handler],
    streams: upTo(20).map((number) => `bad-${number}`),
    attempts: () => failing.seen.length + hanging.seen.length,
  });
  expect(failing.seen.length).toBeGreaterThan(STREAMS);
  expect(hanging.seen).toHaveLength(5);
  return { median: beside.median / alone.median, p95: beside.p95 / alone.p95 };
}

describe('a hundred streams of a good handler', () => {
  it('take no longer beside streams that always fail, a handler that always fails, and one that hangs', async () => {
    await run(NOTHING_BAD);
    // Whatever else the machine does may slow one run of a pair; being held up would slow it in every pair.
    const pairs = [await comparePair()];
    while (pairs.length < 4 && Math.min(...pairs.map(({ p95 }) => p95)) >= FACTOR) pairs.push(await comparePair());
    expect(Math.min(...pairs.map(({ median }) => median))).toBeLessThan(FACTOR);
    expect(Math.min(...pairs.map(({ p95 }) => p95))).toBeLessThan(FACTOR);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Notification } from '../../src/protocol/notification.js';
import { notification } from '../helpers/notifications.js';
import { createPipeline, recorder, type Seen } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

const EPOCH = 1_790_000_000_000;
const NATURAL_ORDER = ['started', 'live', 'unheard-of', 'ended', 'on-demand'];

/** One thing that arrives: which notification of its stream, and how it was changed on the way if it is a repeat. */
const arrivals = fc
  .array(
    fc.record({
      stream: fc.integer({ min: 0, max: 7 }),
      kind: fc.constantFrom(...NATURAL_ORDER),
      offsetMs: fc.integer({ min: 0, max: 40 }),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .chain((facts) => {
    // The same fact twice would be a repeat; `number` makes each its own.
    const sent = facts.flatMap((fact, number) =>
      Array.from({ length: fact.copies }, (_, copy) => ({ fact, number, copy })),
    );
    return fc.shuffledSubarray(sent, { minLength: sent.length, maxLength: sent.length });
  });

function toNotification({
  fact,
  number,
  copy,
}: {
  fact: { stream: number; kind: string; offsetMs: number };
  number: number;
  copy: number;
}): Notification {
  const tags = ['x', 'y', 'z'];
  return notification({
    what: fact.kind,
    stream: `stream-${fact.stream}`,
    at: EPOCH + fact.offsetMs,
    data: { number, ...(fact.kind === 'unheard-of' ? {} : { tags: copy % 2 === 0 ? tags : tags.reverse() }) },
  });
}

const place = (n: Notification) => Date.parse(n.timestamp) * 8 + NATURAL_ORDER.indexOf(n.what);

function byStream(seen: readonly Seen[]): Map<string, Notification[]> {
  const streams = new Map<string, Notification[]>();
  for (const { notification: n } of seen) {
    const stream = n.data.streamId as string;
    streams.set(stream, [...(streams.get(stream) ?? []), n]);
  }
  return streams;
}

describe('any arrival order and any repeats of any streams, within the window', () => {
  it('reach each handler in timestamp order, once, and none is late', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 0, max: 3 }), async (sent, failures) => {
        const pipeline = createPipeline(server, { reorderWindowMs: 300, reorderMissingStartMs: 400 });
        try {
          await until('the connections are ready', () => pipeline.producer.status === 'ready');
          const steady = recorder('steady');
          const done: Seen[] = [];
          const shaky = recorder('shaky', { attempts: 10, backoffMs: 1 }, (one) => {
            if (one.context.attempt <= Number(one.notification.data.number) % (failures + 1)) throw new Error('shaky');
            done.push(one);
          });
          await Promise.all([
            pipeline.startWorker([steady.handler, shaky.handler]),
            pipeline.startWorker([steady.handler, shaky.handler]),
          ]);
          const facts = new Set(sent.map(({ number }) => number)).size;
          const answers = await Promise.all(sent.map((one) => pipeline.accept(toNotification(one))));
          expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(facts);
          await until('each arrived', () => steady.seen.length >= facts && done.length >= facts);
          await until('nothing is left', async () => (await pipeline.queues.notifications().count()) === 0);
          for (const seen of [steady.seen, done]) {
            const numbers = seen.map(({ notification: n }) => n.data.number as number);
            expect([...numbers].sort((a, b) => a - b)).toEqual([...new Set(numbers)].sort((a, b) => a - b));
            expect(numbers).toHaveLength(facts);
            expect(seen.filter(({ context }) => context.late)).toEqual([]);
            for (const stream of byStream(seen).values()) {
              const places = stream.map(place);
              expect(places).toEqual([...places].sort((a, b) => a - b));
            }
          }
        } finally {
          await pipeline.close();
        }
      }),
      { numRuns: 12 },
    );
  }, 60_000);
});

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { IntakeUnavailableError } from '../../src/pipeline/writer.js';
import type { Notification } from '../../src/protocol/notification.js';
import { notification, received, verifiedBody } from '../helpers/notifications.js';
import { createPipeline, recorder, type Seen, type TestPipeline } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

let server: TestRedis;
let pipeline: TestPipeline;
beforeAll(async () => {
  // With `everysec` Redis may put off a write while its disk is busy, and a kill would take what it had confirmed.
  server = await startTestRedis({ appendfsync: 'always' });
});
afterAll(() => server.stop());
afterEach(() => pipeline.close());

async function connected(): Promise<TestPipeline> {
  pipeline = createPipeline(server, { reorderWindowMs: 20, reorderMissingStartMs: 20 });
  await until('the connections are ready', () => pipeline.producer.status === 'ready');
  return pipeline;
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const nth = (number: number, stream = `stream-${number % 7}`) => notification({ stream, data: { number } });

type Answer = { id: string; duplicate: boolean } | { error: unknown; afterMs: number };
/** Asks as the receiver does, and says how long a refusal took. */
async function ask(message: Notification): Promise<Answer> {
  const start = performance.now();
  return pipeline.accept(message).catch((error: unknown) => ({ error, afterMs: performance.now() - start }));
}
const refused = (answer: Answer) => ('error' in answer ? answer : undefined);
const acceptsAgain = (number: number) =>
  until('it accepts again', async () => {
    const answer = await ask(nth(number));
    return 'id' in answer && answer;
  });

function expectRefusals(answers: readonly Answer[]): void {
  for (const answer of answers) {
    expect(refused(answer)?.error).toBeInstanceOf(IntakeUnavailableError);
    expect(refused(answer)?.afterMs).toBeLessThan(1000);
  }
}

/** Commands that Redis has yet to answer, as ioredis counts them. */
const owed = ({ producer }: TestPipeline) => {
  const { commandQueue, offlineQueue } = producer as unknown as Record<string, { length: number }>;
  return (commandQueue?.length ?? 0) + (offlineQueue?.length ?? 0);
};
const jobs = ({ queues }: TestPipeline) => queues.notifications().getJobCountByTypes('wait', 'delayed');

describe('while Redis is away', () => {
  it('refuses within a second, many at once too, and accepts by itself once it is back', async () => {
    await connected();
    await pipeline.accept(nth(1));
    await server.kill9();
    const answers = await Promise.all(upTo(300).map((number) => ask(nth(1000 + number))));
    expectRefusals(answers);
    expect(owed(pipeline)).toBe(0);
    await server.restart();
    expect(await acceptsAgain(2)).toMatchObject({ duplicate: false });
  });

  it('refuses when it was away from the start, and accepts by itself once it is there', async () => {
    await server.kill9();
    pipeline = createPipeline(server);
    expectRefusals(await Promise.all(upTo(20).map((number) => ask(nth(number)))));
    await expect(
      pipeline.intake.keepInvalid({ body: verifiedBody('no json'), problem: 'no JSON', receivedAt: Date.now() }),
    ).rejects.toBeInstanceOf(IntakeUnavailableError);
    await server.restart();
    await acceptsAgain(100);
    expect(await jobs(pipeline)).toBe(1);
  });

  it('has kept, after a kill -9, whatever it had answered', async () => {
    await connected();
    const answered: string[] = [];
    let sent = 0;
    const clients = upTo(20).map(async () => {
      for (;;) {
        const answer = await ask(nth(sent++));
        if (!('id' in answer)) return;
        answered.push(answer.id);
      }
    });
    await until('traffic flows', () => answered.length > 500);
    await server.kill9();
    await Promise.all(clients);
    await server.restart();
    const pipe = pipeline.redis.pipeline();
    for (const id of answered) pipe.exists(pipeline.keys.queue('notifications', id));
    const kept = (await pipe.exec())?.map(([, exists]) => exists);
    expect(kept).toEqual(answered.map(() => 1));
  });
});

describe('while Redis is frozen', () => {
  it('refuses within a second, owes it no more than came in before it was noticed, and accepts again after', async () => {
    await connected();
    await pipeline.accept(nth(1));
    const disconnect = jest.spyOn(pipeline.producer, 'disconnect');
    server.freeze();
    try {
      expectRefusals(await Promise.all(upTo(500).map((number) => ask(nth(1000 + number)))));
      const most = owed(pipeline);
      // Two commands of index and one of the job for each, at most.
      expect(most).toBeLessThanOrEqual(3 * 500 + 10);
      for (const round of upTo(20)) {
        expectRefusals(await Promise.all(upTo(50).map((number) => ask(nth(2000 + 50 * round + number)))));
        expect(owed(pipeline)).toBeLessThanOrEqual(most);
      }
      await until('the connection is given up, and what it owed with it', () => owed(pipeline) <= 10);
      // Each call leaves a timer and a listener behind.
      expect(disconnect).toHaveBeenCalledTimes(1);
    } finally {
      server.thaw();
    }
    await acceptsAgain(2);
  });

  it('recognises the repeat of one that did arrive, though the answer to it did not', async () => {
    await connected();
    server.freeze();
    const first = received(nth(7));
    try {
      await expect(pipeline.intake.accept(first)).rejects.toBeInstanceOf(IntakeUnavailableError);
    } finally {
      server.thaw();
    }
    await until('it arrived after all', async () => (await jobs(pipeline)) === 1);
    const [job] = await pipeline.queues.notifications().getJobs(['wait']);
    const answer = await until('it accepts again', () =>
      pipeline.intake.accept({ ...first, receivedAt: Date.now() }).catch(() => undefined),
    );
    expect(answer).toEqual({ id: job?.id, duplicate: true });
    expect(await jobs(pipeline)).toBe(1);
  });
});

describe('whatever is authentic', () => {
  /** Each is accepted, delivered as it was sent, listed when it fails, and replayed by the name of its stream. */
  async function goThrough(messages: readonly Notification[]): Promise<void> {
    await connected();
    let broken = true;
    const { handler, seen } = recorder('all', { attempts: 1 }, () => {
      if (broken) throw new Error('broken');
    });
    await pipeline.startWorker([handler]);
    const ids: string[] = [];
    for (const message of messages) {
      const answer = await pipeline.accept(message);
      expect(answer.duplicate).toBe(false);
      expect(await pipeline.accept(message)).toEqual({ ...answer, duplicate: true });
      ids.push(answer.id);
    }
    await until('all have failed', async () => (await pipeline.failed.count()) === messages.length);
    broken = false;
    for (const [at, message] of messages.entries()) {
      const named: unknown = message.data?.streamId;
      const stream = typeof named === 'string' && named !== '' ? named : (ids[at] as string);
      const listed = await pipeline.failed.list({ stream, kind: message.what });
      expect(listed.map(({ id }) => id)).toContain(ids[at]);
      for (const one of listed) expect(one.stream).toBe(stream);
      expect(await pipeline.failed.replay({ ids: [ids[at] as string], stream })).toMatchObject({ replayed: 1 });
    }
    await until('all arrived', () => seen.length === 2 * messages.length);
    const last = new Map(seen.map(({ notification: n, context }) => [context.id, n]));
    expect(ids.map((id) => JSON.stringify(last.get(id)))).toEqual(messages.map((message) => JSON.stringify(message)));
  }

  it('has a stream of any name', () =>
    goThrough(
      [
        '{sluice}:lane:all:x',
        '{',
        '}{',
        ':',
        'a:b:c',
        ' ',
        'line\nbreak',
        '\u0000',
        '*',
        '?[a-z]\\',
        'größe-日本語-🙂',
        '\ud800 alone',
        '__proto__',
        'constructor',
        '0',
        '-1',
        'x'.repeat(200),
        'y'.repeat(10_000),
      ].map((stream) => notification({ stream, at: 1_790_000_000_000 })),
    ));

  it('is of any kind', () =>
    goThrough(
      [
        'a|b',
        '|',
        'started,ended',
        '*',
        'über-日本語',
        '__proto__',
        'toString',
        ' ',
        '0',
        'retry\nnow',
        'k'.repeat(50_000),
      ].map((what) => notification({ what })),
    ));

  it('has data of any shape', () =>
    goThrough(
      [null, 'text', 7, [], {}, { streamId: 7 }, { streamId: '' }].map((data, number) => {
        const { data: _, ...rest } = notification({ what: 'unheard-of' });
        return { ...rest, data, number } as unknown as Notification;
      }),
    ));

  it('has a body of a megabyte, or is nested deeper than the stack', async () => {
    await connected();
    const { handler, seen } = recorder('all');
    await pipeline.startWorker([handler]);
    const large = notification({ stream: 'large', data: { text: 'ü'.repeat(500_000) } });
    await pipeline.accept(large);
    const depth = 200_000;
    const text = JSON.stringify(notification({ stream: 'deep' })).replace(
      '"tags":',
      `"deep":${'['.repeat(depth)}${']'.repeat(depth)},"tags":`,
    );
    const deep = { notification: JSON.parse(text), body: verifiedBody(text), receivedAt: Date.now() };
    const first = await pipeline.intake.accept(deep);
    expect(await pipeline.intake.accept(deep)).toEqual({ id: first.id, duplicate: true });
    await until('both arrived', () => seen.length === 2);
    const [a, b] = ['large', 'deep'].map((stream) => seen.find(({ notification: n }) => n.data.streamId === stream));
    expect(a?.notification).toEqual(large);
    let levels = 0;
    const nested: unknown = (b as Seen).notification.data.deep;
    for (let at = nested; Array.isArray(at); at = at[0]) levels++;
    expect(levels).toBe(depth);
  });

  it('is in order of receipt where its timestamps cannot be used', async () => {
    await connected();
    const { handler, seen } = recorder('all');
    const timestamps = ['yesterday', '', null, undefined, 17, '1969-01-01T00:00:00Z', '2026-99-99T00:00:00Z', {}];
    for (const [number, timestamp] of timestamps.entries()) {
      const message = { ...notification({ what: 'live', data: { number } }), timestamp } as unknown as Notification;
      await pipeline.intake.accept(received(message, 1_790_000_000_000 + number));
    }
    await pipeline.startWorker([handler]);
    await until('all arrived', () => seen.length === timestamps.length);
    expect(seen.map(({ notification: n }) => n.data.number)).toEqual(upTo(timestamps.length));
    expect(seen.filter(({ context }) => context.late)).toEqual([]);
  });
});

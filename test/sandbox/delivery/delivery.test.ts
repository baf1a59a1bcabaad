import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '../../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../../src/sandbox/create-sandbox.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { type Received, type ReceiverOptions, startReceiver } from '../receiver.js';
import { releasers } from '../releasers.js';

const MINUTE = 60_000;
const releasing = releasers();

async function setUp(options: SandboxOptions = {}, receiverOptions: ReceiverOptions = {}) {
  const receiver = releasing(await startReceiver(receiverOptions));
  const clock = createManualClock();
  const sandbox = releasing(await createSandbox({ clock, callback: receiver.callback, ...options }));
  /** Platform seconds at which a notification was sent. */
  const sentAt = (name: string) =>
    sandbox
      .deliveries()
      .find((delivery) => delivery.name === name)
      ?.attempts.map(({ atMs }) => atMs / 1000);
  return { receiver, clock, sandbox, sentAt };
}

function whats(received: Received[]): string[] {
  return received.map(({ message }) => message.what);
}

describe('a delivery', () => {
  it.each(['POST', 'PUT', 'GET'] as const)(
    'is a %s of path and query with a signed JSON body and the host of the callback',
    async (method) => {
      const query = 'a=%2Fb%20c&b=&flag';
      const { receiver, sandbox, clock } = await setUp({}, { method, path: '/hooks/%7Eme', query });
      sandbox.publish({ tags: ['one', 'two'] });
      await clock.advance(0);
      const [sent] = receiver.received;
      expect(sent).toMatchObject({ method, target: `/hooks/%7Eme?${query}`, authentic: true });
      expect(sent?.headers.host).toEqual([`127.0.0.1:${receiver.callback.port}`]);
      expect(sent?.headers['content-type']).toEqual(['application/json']);
      expect(Number(sent?.headers['x-svc-timestamp']?.[0]) * 1000).toBeGreaterThan(Date.now() - 10_000);
      expect(sent?.message).toMatchObject({ apiVersion: 0, entity: 'stream', what: 'started' });
    },
  );

  it('names its headers after the brand, and signs in milliseconds if asked to', async () => {
    const { receiver, sandbox, clock } = await setUp({ brand: 'Acme', timestampUnit: 'ms' }, { brand: 'acme' });
    sandbox.publish();
    await clock.advance(0);
    expect(receiver.authentic()).toHaveLength(1);
    expect(receiver.received[0]?.headers['x-acme-timestamp']?.[0]).toMatch(/^\d{13}$/);
  });

  it('is repeated after 5XX at 3, 9, 21 … s, at most nine times, and dropped at 25 minutes', async () => {
    const { sandbox, clock, sentAt } = await setUp({}, { answer: () => 503 });
    sandbox.publish();
    await clock.advance(26 * MINUTE);
    expect(sentAt('started')).toEqual([0, 3, 9, 21, 45, 93, 189, 381, 765, 1500]);
    expect(sandbox.deliveries()[0]?.state).toBe('dropped');
    await clock.advance(60 * MINUTE);
    expect(sentAt('started')).toHaveLength(10);
  });

  it('is dropped after the eighth repeat where the ninth may not be early', async () => {
    const { sandbox, clock, sentAt } = await setUp({ lastRepeat: 'drop' }, { answer: () => 500 });
    sandbox.publish();
    await clock.advance(60 * MINUTE);
    expect(sentAt('started')).toEqual([0, 3, 9, 21, 45, 93, 189, 381, 765]);
  });

  it('loses nothing to a receiver that answers 503 for 20 minutes', async () => {
    let down = true;
    const { receiver, sandbox, clock } = await setUp({}, { answer: () => (down ? 503 : 200) });
    for (let minute = 0; minute < 20; minute++) {
      sandbox.publish({ durationMs: 30_000 });
      await clock.advance(MINUTE);
    }
    down = false;
    expect(sandbox.report().notifications).toMatchObject({ acknowledged: 0, pending: 20 * 18, dropped: 0 });
    const before = receiver.received.length;
    await clock.advance(26 * MINUTE);
    await sandbox.settled();
    expect(sandbox.report().notifications).toMatchObject({ sent: 360, acknowledged: 360, pending: 0, dropped: 0 });
    expect(receiver.received.length - before).toBe(360);
  });

  it.each([400, 401, 404, 413, 429, 302])('is never repeated after %i: it is lost', async (code) => {
    const { receiver, sandbox, clock } = await setUp(
      {},
      { answer: ({ message }) => (message.what === 'live' ? code : 200) },
    );
    sandbox.publish({ durationMs: 10_000 });
    await clock.advance(60 * MINUTE);
    expect(sandbox.report().notifications).toMatchObject({
      sent: 18,
      acknowledged: 10,
      refused: 8,
      dropped: 0,
      repeated: 0,
    });
    expect(receiver.received).toHaveLength(18);
  });

  it('is repeated after a broken connection, or not, as the setting says', async () => {
    const broken: ReceiverOptions = { answer: (_received, count) => (count === 1 ? 'break' : 200) };
    const repeating = await setUp({}, broken);
    repeating.sandbox.publish();
    await repeating.clock.advance(4_000);
    expect(repeating.sentAt('started')).toEqual([0, 3]);
    const dropping = await setUp({ unanswered: 'drop' }, broken);
    dropping.sandbox.publish();
    await dropping.clock.advance(4_000);
    expect(dropping.sentAt('started')).toEqual([0]);
    expect(dropping.sandbox.deliveries()[0]?.state).toBe('dropped');
  });

  it('is repeated after no answer in time, and after a refused connection', async () => {
    const { sandbox, clock, receiver } = await setUp(
      { answerTimeoutMs: 200 },
      { answer: (_one, count) => (count === 1 ? 'hang' : 200) },
    );
    sandbox.publish();
    await clock.advance(4_000);
    expect(sandbox.deliveries()[0]).toMatchObject({
      state: 'acknowledged',
      attempts: [{ answer: { noAnswer: 'UND_ERR_HEADERS_TIMEOUT' } }, { answer: { http: 200 } }],
    });
    await receiver.close();
    sandbox.publish();
    await clock.advance(0);
    expect(sandbox.deliveries().at(-1)).toMatchObject({
      state: 'pending',
      attempts: [{ answer: { noAnswer: 'ECONNREFUSED' } }],
    });
  });

  it('is not sent without an endpoint, and goes to the one that is registered when it is due', async () => {
    const { sandbox, clock } = await setUp({ callback: undefined });
    sandbox.publish();
    await clock.advance(0);
    expect(sandbox.deliveries()[0]).toMatchObject({ state: 'unsent', attempts: [] });
    const first = releasing(await startReceiver({ answer: () => 503 }));
    const second = releasing(await startReceiver());
    sandbox.register(first.callback);
    sandbox.publish();
    await clock.advance(0);
    sandbox.register(second.callback);
    await clock.advance(3_000);
    expect([whats(first.received), whats(second.received)]).toEqual([['started'], expect.arrayContaining(['started'])]);
  });

  it('is signed again when it is repeated, or keeps the timestamp of the first, as the setting says', async () => {
    for (const signRepeats of ['again', 'once'] as const) {
      let now = 1_790_000_000_000;
      const clock = createManualClock(() => now);
      const { sandbox, receiver } = await setUp(
        { clock, signRepeats },
        { answer: (_one, count) => (count === 1 ? 503 : 200) },
      );
      sandbox.publish();
      await clock.advance(0);
      now += 3_000;
      await clock.advance(3_000);
      const starts = receiver.authentic().filter(({ message }) => message.what === 'started');
      const stamps = starts.map(({ headers }) => headers['x-svc-timestamp']?.[0]);
      expect(stamps).toEqual(['1790000000', signRepeats === 'once' ? '1790000000' : '1790000003']);
    }
  });

  it('has no more requests on their way than the setting allows', async () => {
    const most: Record<number, number> = { 3: 0, 32: 0 };
    for (const concurrency of [3, 32]) {
      let open = 0;
      const answer = () => {
        open += 1;
        most[concurrency] = Math.max(most[concurrency] ?? 0, open);
        setImmediate(() => {
          open -= 1;
        });
        return 200;
      };
      const { sandbox, clock } = await setUp({ concurrency }, { answer });
      for (let stream = 0; stream < 50; stream++) sandbox.publish();
      await clock.advance(0);
      expect(sandbox.report().notifications.acknowledged).toBe(50);
    }
    expect(most[3]).toBeLessThanOrEqual(3);
    expect(most[32]).toBeGreaterThan(3);
  });
});

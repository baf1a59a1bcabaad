import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createManualClock } from '../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import { canonicalMessage } from '../../src/sandbox/delivery/canonical-message.js';
import { ALL_FAULTS, type Faults } from '../../src/sandbox/delivery/faults.js';
import { publishLoad } from '../../src/sandbox/publish-load.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.js';
import { type Flaws, startOrderingReceiver } from './ordering-receiver.js';
import type { ReceiverOptions } from './receiver.js';
import { releasers } from './releasers.js';

const releasing = releasers();

/** A run of `count` streams on a clock that is moved by hand, to its end. */
async function run(count: number, options: SandboxOptions, flaws: Flaws = {}, receiverOptions: ReceiverOptions = {}) {
  const receiver = releasing(await startOrderingReceiver(flaws, receiverOptions));
  const clock = createManualClock();
  const sandbox: Sandbox = releasing(await createSandbox({ clock, callback: receiver.callback, ...options }));
  const { seed = 1 } = options;
  await publishLoad((request) => sandbox.publish(request), { count, ratePerS: 1e6, durationMs: 10_000, seed });
  await clock.runUntil(sandbox.settled());
  await receiver.tell(sandbox);
  return { sandbox, receiver, report: sandbox.report() };
}

describe('a run with every fault', () => {
  it('is the same run for the same seed', async () => {
    const options = { seed: 7, faults: ALL_FAULTS };
    const [one, other, third] = [
      await run(30, options),
      await run(30, options),
      await run(30, { ...options, seed: 8 }),
    ];
    expect(other.report.fingerprint).toBe(one.report.fingerprint);
    expect(other.report.requests).toEqual(one.report.requests);
    expect(third.report.fingerprint).not.toBe(one.report.fingerprint);
    expect(one.report.requests).toMatchObject({
      repeats: expect.any(Number),
      extra: expect.any(Number),
      forgedAccepted: 0,
    });
  });

  it('is another run where something else was sent', async () => {
    const fingerprints = await Promise.all(
      [{ tags: ['a', 'b'] }, { tags: ['b', 'a'] }, { tags: ['c'] }, { tags: ['a', 'b'], reason: 'cut' }].map(
        async (request) => {
          const clock = createManualClock();
          const receiver = releasing(await startOrderingReceiver());
          const sandbox = releasing(await createSandbox({ clock, callback: receiver.callback, faults: 'none' }));
          sandbox.publish({ ...request, durationMs: 1000 });
          await clock.runUntil(sandbox.settled());
          return sandbox.report().fingerprint;
        },
      ),
    );
    expect(new Set(fingerprints).size).toBe(4);
  });

  it('finds a receiver that does its work without fault', async () => {
    const { report, receiver } = await run(60, { seed: 7, faults: 'all' });
    expect(report.notifications).toMatchObject({
      sent: 60 * 18,
      acknowledged: 60 * 18,
      dropped: 0,
      refused: 0,
      pending: 0,
    });
    expect(report.handlers).toMatchObject([
      {
        handler: 'catalogue',
        recorded: 60 * 18,
        lost: 0,
        handledTwice: 0,
        outOfOrderUnflagged: 0,
        altered: 0,
        foreign: 0,
      },
    ]);
    expect(report.problems).toEqual([]);
    const { requests } = report;
    for (const count of [requests.lostAcks, requests.heldBack, requests.extra, requests.forged]) {
      expect(count).toBeGreaterThan(20);
    }
    expect(report.handlers[0]?.outOfOrderFlagged).toBeGreaterThan(20);
    expect(requests.repeats).toBe(requests.lostAcks);
    expect(requests.total).toBe(60 * 18 + requests.repeats + requests.extra + requests.forged);
    expect(receiver.received).toHaveLength(requests.total);
    expect(receiver.received.length - receiver.authentic().length).toBe(requests.forged);
    expect(requests.answers).toEqual({ 200: requests.total - requests.forged, 401: requests.forged });
  });

  it.each([
    [{ loseEvery: 10 }, 'lost'],
    [{ twiceEvery: 10 }, 'handled twice'],
    [{ neverLate: true }, 'handled out of order without being flagged'],
  ] as [Flaws, string][])('finds what a receiver with %j does wrong', async (flaws, problem) => {
    const { report } = await run(20, { seed: 7, faults: 'all' }, flaws);
    expect(report.problems).toEqual([expect.stringMatching(new RegExp(`^catalogue: \\d+ ${problem}$`))]);
    if (problem !== 'handled out of order without being flagged') {
      expect(report.problems[0]).toContain(' 36 ');
    }
  });

  it('repeats with tags in another order, and with another timestamp', async () => {
    const { sandbox, receiver } = await run(40, { seed: 7, faults: 'lost-ack=0.5,retag=1,restamp=0.5,repeat=1' });
    const faults = sandbox.deliveries().flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.faults));
    expect(new Set(faults)).toEqual(new Set(['lost-ack', 'retag', 'restamp']));
    for (const { streamId, attempts, message } of sandbox.deliveries().filter(({ name }) => name === 'ended')) {
      const sent = receiver
        .authentic()
        .filter((one) => one.message.what === 'ended' && one.message.data.streamId === streamId);
      expect(sent).toHaveLength(attempts.length);
      for (const [index, { faults: ofAttempt }] of attempts.entries()) {
        const arrived = sent[index]?.message;
        expect(arrived?.timestamp === message.timestamp).toBe(!ofAttempt.includes('restamp'));
        const sameOrder = JSON.stringify(arrived?.data.tags) === JSON.stringify(message.data.tags);
        expect(sameOrder).toBe(!ofAttempt.includes('retag'));
        expect(canonicalMessage(arrived?.data)).toBe(canonicalMessage(message.data));
      }
    }
  });

  it('has signed timestamps that are off by the skew at most, and signatures that hold', async () => {
    const { receiver } = await run(20, { seed: 7, faults: 'skew=5s' });
    expect(receiver.authentic()).toHaveLength(360);
    const offs = receiver.received.map(({ headers, at }) => Number(headers['x-svc-timestamp']?.[0]) * 1000 - at);
    expect(Math.max(...offs)).toBeGreaterThan(3_000);
    expect(Math.min(...offs)).toBeLessThan(-4_000);
    expect(Math.max(...offs.map(Math.abs))).toBeLessThan(7_000);
  });

  it('lets later notifications of a stream overtake those it holds back, and no others', async () => {
    const held = await run(20, { seed: 7, faults: 'reorder=0.5', playlistGapMs: 50 });
    const order = (received: typeof held) =>
      received.receiver.received.map(
        ({ message }) => [String(message.data.streamId), Date.parse(message.timestamp)] as const,
      );
    const overtaken = (all: (readonly [string, number])[]) =>
      all.filter(([stream, at], index) => all.slice(0, index).some(([other, then]) => other === stream && then > at))
        .length;
    expect(overtaken(order(held))).toBeGreaterThan(20);
    const plain = await run(20, { seed: 7, playlistGapMs: 50 });
    expect(overtaken(order(plain))).toBe(0);
  });
});

describe('whatever the faults', () => {
  const chance = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
  const anyFaults: fc.Arbitrary<Faults> = fc.record({
    reorder: chance,
    repeat: chance,
    lostAck: chance,
    retag: chance,
    restamp: chance,
    skewMs: fc.integer({ min: 0, max: 10_000 }),
    badSignature: chance,
  });

  it('every notification arrives intact at least once, unless the receiver refuses it or is away too long', async () => {
    await fc.assert(
      fc.asyncProperty(anyFaults, fc.integer(), fc.integer({ min: 0, max: 3 }), async (faults, seed, failures) => {
        const tries = new Map<string, number>();
        const accepted = new Set<string>();
        const options: ReceiverOptions = {
          answer({ message }) {
            const said = canonicalMessage({ ...message, timestamp: '' });
            tries.set(said, (tries.get(said) ?? 0) + 1);
            if ((tries.get(said) ?? 0) <= failures) return 503;
            accepted.add(said);
            return 200;
          },
        };
        const { sandbox, receiver, report } = await run(2, { faults, seed }, {}, options);
        for (const { message, state } of sandbox.deliveries()) {
          expect(accepted).toContain(canonicalMessage({ ...message, timestamp: '' }));
          expect(state === 'acknowledged' || faults.lostAck > 0).toBe(true);
        }
        expect(report.notifications).toMatchObject({ sent: 36, refused: 0, pending: 0 });
        expect(report.problems).toEqual([]);
        await receiver.close();
        await sandbox.close();
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });
});

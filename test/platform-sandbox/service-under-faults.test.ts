import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createManualClock } from '../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import { publishLoad } from '../../src/sandbox/publish-load.js';
import type { Report } from '../../src/sandbox/report/report.js';
import { startOrderingReceiver } from '../sandbox/ordering-receiver.js';
import { portForLater, type ServiceBesideSandbox, startServiceBeside } from './service-beside-sandbox.js';

/** The service waits this long for earlier ones; the sandbox holds back for less, or every test would be of lateness. */
const WINDOW_MS = 1000;
const HELD_BACK_MS = 300;

let port: number;
let beside: ServiceBesideSandbox;

beforeAll(async () => {
  port = await portForLater();
  beside = await startServiceBeside(`http://127.0.0.1:${port}`, { REORDER_WINDOW_MS: String(WINDOW_MS) });
});
afterAll(() => beside?.close());

/** `sluice sandbox --publish …` against the service, to its end. */
async function loadRun(streams: number, seed: number, ratePerS: number): Promise<Report> {
  const words = ['sandbox', '--port', port, '--callback', beside.callbackUrl, '--report', 'json', '--no-deliveries'];
  const load = ['--publish', streams, '--rate', ratePerS, '--speed', 100, '--recorder', 'recorder'];
  const faults = ['--faults', 'all', '--seed', seed, '--reorder-window', `${HELD_BACK_MS}ms`];
  const run = await beside.services.run([...words, ...load, ...faults].map(String));
  expect({ code: run.code, err: run.code === 0 ? '' : run.err }).toEqual({ code: 0, err: '' });
  return JSON.parse(run.out) as Report;
}

/** What the same run looks like on a clock that is moved by hand, to a receiver that is no service at all. */
async function fingerprintOf(streams: number, seed: number): Promise<string> {
  const receiver = await startOrderingReceiver();
  const clock = createManualClock();
  const { callback } = receiver;
  const sandbox = await createSandbox({ clock, callback, faults: 'all', seed, reorderWindowMs: HELD_BACK_MS });
  await publishLoad((request) => sandbox.publish(request), { count: streams, ratePerS: 1e6, durationMs: 10_000, seed });
  await clock.runUntil(sandbox.settled());
  const { fingerprint } = sandbox.report();
  await sandbox.close();
  await receiver.close();
  return fingerprint;
}

describe('a service under every fault of the platform', () => {
  it('handles 1,000 streams once each and in order, or says that it is late, and loses nothing', async () => {
    const report = await loadRun(1000, 7, 150);
    expect(report.streams).toEqual({ published: 1000, ended: 1000 });
    expect(report.notifications).toMatchObject({
      sent: 18_000,
      acknowledged: 18_000,
      dropped: 0,
      refused: 0,
      pending: 0,
    });
    expect(report.handlers).toMatchObject([
      { handler: 'recorder', recorded: 18_000, lost: 0, handledTwice: 0, outOfOrderUnflagged: 0, altered: 0 },
    ]);
    expect(report.problems).toEqual([]);
    // The faults were there.
    const { requests } = report;
    expect(requests.forgedAccepted).toBe(0);
    expect(requests.answers[401]).toBeGreaterThan(700);
    // On a machine that is too busy the service may turn a request away: it is sent again.
    expect(['200,401', '200,401,503']).toContain(Object.keys(requests.answers).join());
    expect(requests.lostAcks).toBeGreaterThan(1500);
    expect(requests.repeats).toBeGreaterThanOrEqual(requests.lostAcks);
    expect(requests.extra).toBeGreaterThan(3000);
    expect(requests.heldBack).toBeGreaterThan(5000);
  }, 110_000);

  it('is met by the same run for the same seed, whatever the timing, and by another for another', async () => {
    const [one, other, third] = [await loadRun(30, 7, 10), await loadRun(30, 7, 20), await loadRun(30, 8, 20)];
    expect(other.fingerprint).toBe(one.fingerprint);
    expect(other.requests).toEqual(one.requests);
    expect(await fingerprintOf(30, 7)).toBe(one.fingerprint);
    expect(third.fingerprint).not.toBe(one.fingerprint);
    for (const { problems } of [one, other, third]) expect(problems).toEqual([]);
  });
});

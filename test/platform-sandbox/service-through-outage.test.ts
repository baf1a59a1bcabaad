import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createManualClock } from '../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import type { Delivery } from '../../src/sandbox/delivery/delivery.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.js';
import { until } from '../helpers/until.js';
import { startReceiver } from '../sandbox/receiver.js';
import { releasers } from '../sandbox/releasers.js';
import { type ServiceBesideSandbox, startServiceBeside } from './service-beside-sandbox.js';

const MINUTE = 60_000;
/** The last repeat follows five minutes after the outage: five seconds, for Redis to be there and be found. */
const SPEED = 60;
const releasing = releasers();

let sandbox: Sandbox;
let beside: ServiceBesideSandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ speed: SPEED, expectedHandlers: ['recorder'] });
  beside = await startServiceBeside(sandbox.baseUrl, { REORDER_WINDOW_MS: '300', REORDER_MISSING_START_MS: '2000' });
});
afterAll(async () => {
  await beside?.close();
  await sandbox?.close();
});

/** Publishes a stream in each minute of the platform, for so many; resolves when the last of them is over. */
async function publishFor(minutes: number): Promise<void> {
  // One that is not ended before tells how much time of the platform has passed.
  const { streamId: ticking } = sandbox.publish();
  const passed = () => sandbox.streams().find(({ streamId }) => streamId === ticking)?.durationMs ?? 0;
  for (let minute = 0; minute < minutes; minute++) {
    sandbox.publish({ tags: [`minute-${minute}`], durationMs: 90_000 });
    await until(`minute ${minute} is over`, () => passed() >= (minute + 1) * MINUTE);
  }
  sandbox.endStream(ticking);
}

describe('a service that cannot take anything for 20 minutes of the platform', () => {
  it('loses nothing: the platform repeats what was answered 503, and each handler runs once', async () => {
    sandbox.register(beside.callback);
    await beside.redis.kill9();
    await publishFor(20);
    const during = sandbox.report();
    expect(during.notifications).toMatchObject({ acknowledged: 0, refused: 0, dropped: 0 });
    expect(during.notifications.pending).toBeGreaterThan(300);
    expect(Object.keys(during.requests.answers)).toEqual(['503']);
    await beside.redis.restart();
    await sandbox.settled();
    await sandbox.handled();
    const { notifications, handlers, problems } = sandbox.report();
    expect(notifications).toMatchObject({ sent: 21 * 18, acknowledged: 21 * 18, dropped: 0, refused: 0 });
    expect(handlers).toMatchObject([{ recorded: 21 * 18, lost: 0, handledTwice: 0, outOfOrderUnflagged: 0 }]);
    expect(problems).toEqual([]);
  }, 90_000);
});

describe('a receiver that answers for 20 minutes', () => {
  /** A stream in each minute, 18 notifications each; afterwards the receiver takes everything. */
  async function outage(answer: number, options: SandboxOptions = {}) {
    let down = true;
    const receiver = releasing(await startReceiver({ answer: () => (down ? answer : 200) }));
    const clock = createManualClock();
    const platform = releasing(await createSandbox({ clock, callback: receiver.callback, ...options }));
    for (let minute = 0; minute < 20; minute++) {
      platform.publish({ durationMs: 90_000 });
      await clock.advance(MINUTE);
    }
    down = false;
    await clock.runUntil(platform.settled());
    return { deliveries: platform.deliveries(), notifications: platform.report().notifications };
  }
  const times = ({ attempts }: Delivery) => attempts.map(({ atMs }) => (atMs - (attempts[0]?.atMs ?? 0)) / 1000);

  it('503 gets everything later, if the ninth repeat is made at 25 minutes', async () => {
    const { deliveries, notifications } = await outage(503);
    expect(notifications).toMatchObject({ sent: 360, acknowledged: 360, dropped: 0 });
    expect(times(deliveries[0] as Delivery)).toEqual([0, 3, 9, 21, 45, 93, 189, 381, 765, 1500]);
  });

  it('503 loses what was first sent 765 s before the end or earlier, if the ninth repeat is not made', async () => {
    const { deliveries, notifications } = await outage(503, { lastRepeat: 'drop' });
    const tooOld = deliveries.filter(({ attempts }) => (attempts[0]?.atMs ?? 0) <= 20 * MINUTE - 765_000);
    expect(deliveries.filter(({ state }) => state === 'dropped')).toEqual(tooOld);
    expect(tooOld.length).toBeGreaterThan(100);
    expect(notifications).toMatchObject({ acknowledged: 360 - tooOld.length, dropped: tooOld.length });
    for (const delivery of tooOld) expect(times(delivery)).toEqual([0, 3, 9, 21, 45, 93, 189, 381, 765]);
  });

  it('400 loses all of it at once, and nothing of what comes afterwards', async () => {
    const { deliveries, notifications } = await outage(400);
    const during = deliveries.filter(({ attempts }) => (attempts[0]?.atMs ?? 0) <= 20 * MINUTE);
    expect(notifications).toMatchObject({ refused: during.length, acknowledged: 360 - during.length, repeated: 0 });
    expect([during.length > 300, during.length < 360]).toEqual([true, true]);
    for (const { state, attempts } of deliveries) {
      expect(attempts).toMatchObject([{ number: 1, answer: { http: state === 'refused' ? 400 : 200 } }]);
    }
  });
});

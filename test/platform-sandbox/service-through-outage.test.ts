import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.js';
import { until } from '../helpers/until.js';
import { startReceiver } from '../sandbox/receiver.js';
import { type ServiceBesideSandbox, startServiceBeside } from './service-beside-sandbox.js';

const MINUTE = 60_000;
const SPEED = 100;

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

/** Publishes a stream in each minute of the platform, from now on, for so many; resolves when the last minute is over. */
async function publishFor(minutes: number, platform: Sandbox): Promise<void> {
  const clock = platform.publish({ tags: ['first'], durationMs: 90_000 }).streamId;
  // A stream that is never ended tells how much time of the platform has passed.
  const ticking = platform.publish().streamId;
  const passed = () => platform.streams().find(({ streamId }) => streamId === ticking)?.durationMs ?? 0;
  for (let minute = 1; minute <= minutes; minute++) {
    await until(`minute ${minute}`, () => passed() >= minute * MINUTE, { deadlineMs: 10_000 });
    if (minute < minutes) platform.publish({ tags: [clock], durationMs: 90_000 });
  }
  platform.endStream(ticking);
}

describe('a service that cannot take anything for 20 minutes of the platform', () => {
  it('loses nothing: the platform repeats what was answered 503, and each handler runs once', async () => {
    sandbox.register(beside.callback);
    await beside.redis.kill9();
    await publishFor(20, sandbox);
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
  }, 60_000);
});

describe('a receiver that answers for 20 minutes', () => {
  async function outage(answer: number, options: SandboxOptions = {}) {
    let down = true;
    const receiver = await startReceiver({ answer: () => (down ? answer : 200) });
    const platform = await createSandbox({ speed: 400, callback: receiver.callback, ...options });
    try {
      await publishFor(20, platform);
      down = false;
      await platform.settled();
      return { deliveries: platform.deliveries(), report: platform.report() };
    } finally {
      await platform.close();
      await receiver.close();
    }
  }

  it('503 gets everything later, if the ninth repeat is made at 25 minutes', async () => {
    const { report } = await outage(503);
    expect(report.notifications).toMatchObject({ sent: 378, acknowledged: 378, dropped: 0 });
  });

  it('503 loses what is older than 765 s then, if the ninth repeat is not made', async () => {
    const { deliveries, report } = await outage(503, { lastRepeat: 'drop' });
    const { acknowledged, dropped } = report.notifications;
    expect(acknowledged + dropped).toBe(378);
    expect(dropped).toBeGreaterThan(100);
    for (const { state, attempts } of deliveries.filter((delivery) => delivery.state === 'dropped')) {
      const secondsAfter = attempts.map(({ atMs }) => (atMs - (attempts[0]?.atMs ?? 0)) / 1000);
      const due = [0, 3, 9, 21, 45, 93, 189, 381, 765];
      expect([state, secondsAfter.length]).toEqual(['dropped', due.length]);
      for (const [index, at] of due.entries()) expect(secondsAfter[index]).toBeGreaterThanOrEqual(at - 0.5);
    }
  });

  it('400 loses all of it at once, and nothing that comes afterwards', async () => {
    const { deliveries, report } = await outage(400);
    const { refused, acknowledged, repeated } = report.notifications;
    expect([refused + acknowledged, repeated]).toEqual([378, 0]);
    expect(refused).toBeGreaterThan(300);
    expect(acknowledged).toBeGreaterThan(0);
    for (const { state, attempts } of deliveries) {
      expect(attempts).toMatchObject([{ number: 1, answer: { http: state === 'refused' ? 400 : 200 } }]);
    }
  });
});

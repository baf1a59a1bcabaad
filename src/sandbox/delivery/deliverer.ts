import type { ResolvedCallback } from '../../protocol/callback-endpoint.js';
import type { Notification } from '../../protocol/notification.js';
import type { Settings } from '../settings.js';
import { type Delivery, judge } from './delivery.js';
import { type Place, planNotification } from './fault-plan.js';
import { nextWaitMs } from './repeat-schedule.js';
import { type AttemptOptions, sendAttempt } from './send-attempt.js';
import type { Work } from './work.js';

export interface DelivererOptions extends AttemptOptions {
  settings: Settings;
  work: Work;
  /** The endpoint that is registered now. */
  endpoint(): ResolvedCallback | undefined;
}

/**
 * Delivers notifications to the registered endpoint (contract: "Notification delivery", "Limits"), with the faults of
 * the run. Every attempt goes to the endpoint of its time.
 */
export function createDeliverer(options: DelivererOptions): (place: Place, notification: Notification) => void {
  const { settings, source, clock, ledger, work } = options;

  /** Platform ms. On a stopped clock it never ends. */
  function pause(ms: number): Promise<void> | undefined {
    return ms > 0 ? new Promise((resolve) => void clock.after(ms, resolve)) : undefined;
  }

  async function run(delivery: Delivery): Promise<void> {
    const plan = planNotification(source, delivery);
    delivery.heldBackMs = plan.heldBackMs;
    await pause(plan.heldBackMs * clock.speed);
    const callback = options.endpoint();
    if (!callback) {
      delivery.state = 'unsent';
      return;
    }
    if (plan.forgery) {
      await sendAttempt(options, delivery, { kind: 'forged', number: 0, callback, forgery: plan.forgery });
    }
    const attempts = await untilAnswered(delivery, callback);
    if (delivery.state !== 'acknowledged' || plan.repeatedAfterMs === undefined) return;
    await pause(plan.repeatedAfterMs);
    const again = { kind: 'extra', number: attempts + 1, callback: options.endpoint() ?? callback } as const;
    await sendAttempt(options, delivery, again);
  }

  /** Gives the number of attempts that it took. */
  async function untilAnswered(delivery: Delivery, first: ResolvedCallback): Promise<number> {
    // Platform ms, but an answer takes the receiver real time: it counts as such, whatever the speed.
    let elapsedMs = 0;
    for (let number = 1; ; number++) {
      const kind = number === 1 ? 'first' : 'repeat';
      const callback = options.endpoint() ?? first;
      const sentAt = clock.now();
      const { answer, faults } = await sendAttempt(options, delivery, { kind, number, callback });
      elapsedMs += (clock.now() - sentAt) / clock.speed;
      const verdict = faults.includes('lost-ack') ? 'repeat' : judge(answer, settings.unanswered);
      const waitMs = verdict === 'repeat' ? nextWaitMs(number - 1, elapsedMs, settings.lastRepeat) : undefined;
      if (waitMs === undefined) {
        delivery.state = verdict === 'repeat' ? 'dropped' : verdict;
        return number;
      }
      await pause(waitMs);
      elapsedMs += waitMs;
    }
  }

  return (place, message) => {
    const delivery: Delivery = {
      ...place,
      streamId: String(message.data.streamId),
      what: message.what,
      message,
      state: 'pending',
      heldBackMs: 0,
      attempts: [],
    };
    ledger.add(delivery);
    void run(delivery).finally(work.begin());
  };
}

import type { Notification } from '../protocol/notification.js';
import { type Expected, streamOf } from './expect-arrivals.js';
import { isSameMessage } from './is-same-message.js';
import type { Arrival } from './systems.js';

/**
 * Compares what the handlers' systems took with what they were to get. Gives a sentence for each difference: what was
 * lost, came twice, came changed, came out of order, or should not have come. None: what arrived is what was sent.
 */
export function checkArrivals(expected: Expected, arrivals: readonly Arrival[]): string[] {
  const taken = arrivals.filter(({ status }) => status < 300);
  const problems: string[] = [];
  for (const [handler, streams] of expected) {
    const ofHandler = taken.filter((arrival) => arrival.handler === handler);
    for (const [stream, notifications] of streams) {
      const seen = ofHandler.map(({ notification }) => notification).filter((one) => streamOf(one) === stream);
      problems.push(...checkLane(notifications, seen).map((problem) => `${handler}, stream ${stream}: ${problem}`));
    }
    for (const { notification } of ofHandler.filter((one) => !streams.has(streamOf(one.notification)))) {
      problems.push(`${handler}: ${name(notification)} came, of a stream that it was to get nothing of`);
    }
  }
  for (const { handler, notification } of taken.filter((arrival) => !expected.has(arrival.handler))) {
    problems.push(`${handler}: ${name(notification)} came, and there is to be no such handler`);
  }
  return problems;
}

function checkLane(expected: readonly Notification[], seen: readonly Notification[]): string[] {
  const problems: string[] = [];
  const placeOf = (one: Notification) => expected.findIndex((other) => isSameMessage(other, one));
  for (const notification of expected) {
    const times = seen.filter((one) => isSameMessage(one, notification)).length;
    if (times === 0) problems.push(`${name(notification)} was sent and never came`);
    if (times > 1) problems.push(`${name(notification)} came ${times} times`);
  }
  let latest: Notification | undefined;
  for (const notification of seen) {
    if (placeOf(notification) === -1) problems.push(`${name(notification)} came, and was not to come like this`);
    else if (latest && placeOf(notification) < placeOf(latest)) {
      problems.push(`${name(notification)} came after ${name(latest)}`);
    } else latest = notification;
  }
  return problems;
}

function name({ what, timestamp }: Notification): string {
  return `'${what}' of ${timestamp}`;
}

import { type Expected, streamOf } from '../expect-arrivals.js';
import { isSameMessage } from '../is-same-message.js';
import type { Sent } from '../read-requests.js';
import type { Arrival } from '../systems.js';

/** What the demo knows once it has sent: the requests, what is to come of them, what came so far. */
export interface Evidence {
  sent: readonly Sent[];
  expected: Expected;
  arrivals: readonly Arrival[];
}

/** One notification and one handler that is to get it. Times are `performance.now()`, ms. */
export interface Delivery {
  handler: string;
  stream: string;
  request: Sent;
  attempts: readonly Arrival[];
  /** When the handler's system took it: once, if all is well. */
  takenAt: readonly number[];
}

/** All deliveries that there are to be, by handler and stream, each lane in the order of timestamps. */
export function listDeliveries({ sent, expected, arrivals }: Evidence): Delivery[] {
  return [...expected].flatMap(([handler, streams]) =>
    [...streams].flatMap(([stream, notifications]) =>
      notifications.map((notification) => {
        const attempts = arrivals.filter(
          (one) => one.handler === handler && isSameMessage(one.notification, notification),
        );
        return {
          handler,
          stream,
          request: sent.find((one) => one.notification === notification && !one.forged) as Sent,
          attempts,
          takenAt: attempts.filter(({ status }) => status < 300).map(({ at }) => at),
        };
      }),
    ),
  );
}

/** What there is to tell of a stream: the first telling of each of its facts, in the order of timestamps. */
export function tellingsOf(stream: string, sent: readonly Sent[]): Sent[] {
  return sent
    .filter(
      ({ notification, repeatOf, forged }) => streamOf(notification) === stream && repeatOf === undefined && !forged,
    )
    .sort((one, other) => one.atS - other.atS);
}

import type { Notification } from '../protocol/notification.js';

/** What each handler is to get: by handler and stream, the notifications in the order of their timestamps. */
export type Expected = Map<string, Map<string, Notification[]>>;

/**
 * What follows from the promises for what was sent, without asking the service anything: of each fact the first telling,
 * to every handler that subscribes to its kind, in the order of timestamps; nothing that was forged, no repeat.
 */
export function expectArrivals(
  sent: readonly { notification: Notification; repeatOf: number | undefined; forged: boolean }[],
  subscriptions: Readonly<Record<string, '*' | readonly string[]>>,
): Expected {
  const told = sent.filter(({ repeatOf, forged }) => repeatOf === undefined && !forged);
  const inOrder = told
    .map(({ notification }) => notification)
    .sort((one, other) => Date.parse(one.timestamp) - Date.parse(other.timestamp));
  const expected: Expected = new Map();
  for (const [handler, kinds] of Object.entries(subscriptions)) {
    const streams = new Map<string, Notification[]>();
    for (const notification of inOrder.filter(({ what }) => kinds === '*' || kinds.includes(what))) {
      const stream = streamOf(notification);
      streams.set(stream, [...(streams.get(stream) ?? []), notification]);
    }
    expected.set(handler, streams);
  }
  return expected;
}

export function streamOf(notification: Notification): string {
  return String(notification.data.streamId);
}

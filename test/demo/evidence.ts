import pc from 'picocolors';
import { expectArrivals } from '../../src/demo/expect-arrivals.js';
import { SUBSCRIPTIONS } from '../../src/demo/plan.js';
import { readRequests, type Sent } from '../../src/demo/read-requests.js';
import type { Evidence } from '../../src/demo/report/deliveries.js';
import type { Screen } from '../../src/demo/report/screen.js';
import type { Arrival } from '../../src/demo/systems.js';
import type { Notification } from '../../src/protocol/notification.js';
import type { Attempt, AttemptKind, Delivery } from '../../src/sandbox/delivery/delivery.js';
import { notification } from '../helpers/notifications.js';

const STARTED_AT = Date.parse('2026-01-01T12:00:00.000Z');

/** What each stream goes through, and when, seconds after its start. */
const LIFE: readonly (readonly [name: string, atS: number])[] = [
  ['started', 0],
  ['live/primary.m3u8', 4],
  ['live/primary.mpd', 5],
  ['ended', 90],
  ['on-demand/primary.m3u8', 95],
  ['on-demand/primary.mpd', 96],
];

function deliveryOf(streamNumber: number, name: string, atS: number): Delivery {
  const [kind = ''] = name.split('/');
  const what = kind === 'emitted' ? 'thumbnail' : kind;
  const streamId = `sandbox#${streamNumber}.demo`;
  const data = name.includes('.') ? { uri: `https://cdn.example.com/${streamNumber}/${name}` } : {};
  const message = notification({ what, stream: streamId, at: STARTED_AT + atS * 1000, data });
  return { streamNumber, name, streamId, what, message, state: 'acknowledged', heldBackMs: 0, attempts: [] };
}

/**
 * A sandbox's books after a run in which all went well, by 22 requests: the streams one after the other, each from its
 * end to its start, but for what is added: 1 has its start repeated with other tags (#7), 2 has its last but one lost and
 * repeated (#9, #10), 3 has its end forged first (#18).
 */
export function goodDeliveries(): Delivery[] {
  let atMs = 0;
  const attempt = (delivery: Delivery, kind: AttemptKind, faults: string[] = []) => {
    atMs += 20;
    const number = kind === 'forged' ? 0 : delivery.attempts.length + 1;
    const made: Attempt = { kind, number, atMs, answer: { http: kind === 'forged' ? 401 : 200 }, tookMs: 1, faults };
    delivery.attempts.push(made);
  };
  return [1, 2, 3].flatMap((streamNumber) => {
    const life = streamNumber === 3 ? [...LIFE, ['emitted/1', 6] as const] : LIFE;
    const deliveries = life.map(([name, atS]) => deliveryOf(streamNumber, name, atS));
    for (const delivery of deliveries.toReversed()) {
      const isLost = streamNumber === 2 && delivery.name === 'on-demand/primary.m3u8';
      if (streamNumber === 3 && delivery.name === 'ended') attempt(delivery, 'forged', ['forged-secret']);
      attempt(delivery, 'first', isLost ? ['lost-ack'] : []);
      if (isLost) attempt(delivery, 'repeat');
      if (streamNumber === 1 && delivery.name === 'started') attempt(delivery, 'extra', ['retag']);
    }
    return deliveries;
  });
}

/** The evidence of a demo in which all went well; each handler's arrivals stand together, its streams one after the other. */
export function goodEvidence(): Evidence & { sent: Sent[]; arrivals: Arrival[] } {
  const sent = readRequests(goodDeliveries(), { startedAt: 0, speed: 20 });
  const expected = expectArrivals(sent, SUBSCRIPTIONS);
  const arrivals = [...expected].flatMap(([handler, streams]) =>
    [...streams.values()].flat().map((notification, at) => ({
      handler,
      id: `id-${sent.find((one) => one.notification === notification)?.number}`,
      // As it comes over the wire: another object, its fields in another order.
      notification: reorderFields(notification),
      at: 2000 + at,
      status: 200,
    })),
  );
  return { sent, expected, arrivals };
}

function reorderFields({ data, ...envelope }: Notification): Notification {
  return JSON.parse(JSON.stringify({ data, ...envelope }));
}

/** Where an arrival stands. */
export function indexOf(arrivals: readonly Arrival[], handler: string, stream: string, what: string): number {
  const index = arrivals.findIndex(
    (one) => one.handler === handler && one.notification.what === what && one.notification.data.streamId === stream,
  );
  if (index === -1) throw new Error(`no arrival of ${stream} ${what} at ${handler}`);
  return index;
}

/** A screen that remembers, without colours. */
export function memoryScreen(): Screen & { text(): string } {
  const lines: string[] = [];
  return { print: (line = '') => void lines.push(line), colors: pc.createColors(false), text: () => lines.join('\n') };
}

import pc from 'picocolors';
import { expectArrivals } from '../../src/demo/expect-arrivals.js';
import { planSendings, SUBSCRIPTIONS } from '../../src/demo/plan.js';
import type { Evidence } from '../../src/demo/report/deliveries.js';
import type { Screen } from '../../src/demo/report/screen.js';
import type { Sent } from '../../src/demo/send-notifications.js';
import type { Arrival } from '../../src/demo/systems.js';
import type { Notification } from '../../src/protocol/notification.js';

/** The evidence of a demo in which all went well; each handler's arrivals stand together, its streams one after the other. */
export function goodEvidence(): Evidence & { sent: Sent[]; arrivals: Arrival[] } {
  const sent = planSendings(Date.parse('2026-01-01T12:00:00.000Z')).map((sending) => ({
    ...sending,
    at: sending.number,
    tookMs: 1,
    status: sending.forged ? 401 : 200,
    id: sending.forged ? undefined : `id-${sending.repeatOf ?? sending.number}`,
    duplicate: sending.repeatOf !== undefined,
    tries: 1,
  }));
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

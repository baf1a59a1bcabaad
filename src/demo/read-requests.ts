import type { Notification } from '../protocol/notification.js';
import type { Attempt, Delivery } from '../sandbox/delivery/delivery.js';
import { streamOf } from './expect-arrivals.js';

/** A request of the platform, and its answer, as the platform has it in its books. */
export interface Sent {
  /** Its place in the order of sending, from 1. */
  number: number;
  /** The kind, and where a stream has two of a kind what tells them apart. */
  name: string;
  /** As the platform told it first. A repeat may have its tags in another order, a forged copy anything else. */
  notification: Notification;
  /** By its timestamp, seconds after the start of its stream. */
  atS: number;
  /** The number of the one that it repeats; undefined: it tells something new. */
  repeatOf: number | undefined;
  /** Its signature does not hold. */
  forged: boolean;
  /** What was wrong with it on purpose, as the sandbox calls it. */
  faults: readonly string[];
  /** When it was sent, `performance.now()`, ms. */
  at: number;
  tookMs: number;
  /** The HTTP code, or why there was none. */
  answer: number | string;
}

/**
 * All that the platform sent, in the order of sending. `clock`: when the platform's began, `performance.now()` in ms, and
 * how much faster than real time it runs.
 */
export function readRequests(deliveries: readonly Delivery[], clock: { startedAt: number; speed: number }): Sent[] {
  const requests = deliveries
    .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
    .sort((one, other) => one.attempt.atMs - other.attempt.atMs);
  const firsts = new Map<Delivery, number>();
  return requests.map(({ delivery, attempt }, place) => {
    const number = place + 1;
    const forged = attempt.kind === 'forged';
    const repeatOf = forged ? undefined : firsts.get(delivery);
    if (!forged && repeatOf === undefined) firsts.set(delivery, number);
    return {
      number,
      name: nameOf(delivery),
      notification: delivery.message,
      atS: (timeOf(delivery.message) - startOf(delivery, deliveries)) / 1000,
      repeatOf,
      forged,
      faults: attempt.faults,
      at: clock.startedAt + attempt.atMs / clock.speed,
      tookMs: attempt.tookMs,
      answer: answerOf(attempt),
    };
  });
}

/** `live m3u8` for a playlist, the kind alone for everything else. */
function nameOf({ what, name }: Delivery): string {
  const [, format] = /\.(\w+)$/.exec(name) ?? [];
  return format ? `${what} ${format}` : what;
}

function timeOf({ timestamp }: Notification): number {
  return Date.parse(timestamp);
}

/** By the stream's own clock. */
function startOf({ message }: Delivery, deliveries: readonly Delivery[]): number {
  const times = deliveries.filter((one) => one.streamId === streamOf(message)).map((one) => timeOf(one.message));
  return Math.min(...times);
}

function answerOf({ answer }: Attempt): number | string {
  return 'http' in answer ? answer.http : answer.noAnswer;
}

import { createHash } from 'node:crypto';
import { canonicalMessage } from './canonical-message.js';
import type { Delivery } from './delivery.js';

/** Every notification of the run, and which of them a message is. */
export interface Ledger {
  add(delivery: Delivery): void;
  /** Notes that a delivery was sent as this message. */
  sentAs(delivery: Delivery, message: unknown): void;
  /** The delivery that was sent as this message; undefined where nothing was: it was altered, or is of another run. */
  find(message: unknown): Delivery | undefined;
  /** In the order in which they came up. */
  all(): readonly Delivery[];
}

/** Keeps everything in memory, for as long as the sandbox lives. */
export function createLedger(): Ledger {
  const deliveries: Delivery[] = [];
  const byMessage = new Map<string, Delivery>();
  return {
    add: (delivery) => void deliveries.push(delivery),
    sentAs: (delivery, message) => void byMessage.set(fingerprint(message), delivery),
    find: (message) => byMessage.get(fingerprint(message)),
    all: () => deliveries,
  };
}

function fingerprint(message: unknown): string {
  return createHash('sha256').update(canonicalMessage(message)).digest('base64');
}

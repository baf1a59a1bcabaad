import type { Notification } from '../protocol/notification.js';
import type { VerifiedBody } from '../protocol/signature.js';

/** An authentic, well-formed notification: only verification makes its body. */
export interface VerifiedNotification {
  notification: Notification;
  body: VerifiedBody;
  /** Milliseconds since the epoch. */
  receivedAt: number;
}

/** Authentic, but no notification: kept as failed. */
export interface InvalidNotification {
  body: VerifiedBody;
  problem: string;
  receivedAt: number;
}

/** What became of a notification. `id` is that of the first where it is a repeat. */
export interface Acceptance {
  id: string;
  duplicate: boolean;
}

/**
 * Where the receiver puts what it verified. A promise resolves once the notification is durable; it rejects, within a
 * second, when that is not known: then the platform is asked to send it again.
 */
export interface Intake {
  accept(notification: VerifiedNotification): Promise<Acceptance>;
  keepInvalid(invalid: InvalidNotification): Promise<{ id: string }>;
}

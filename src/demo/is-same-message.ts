import type { Notification } from '../protocol/notification.js';
import { canonicalMessage } from '../sandbox/delivery/canonical-message.js';

/** Whether two messages say the same, by the sandbox's own rule: the order of tags says nothing. */
export function isSameMessage(one: Notification, other: Notification): boolean {
  return canonicalMessage(one) === canonicalMessage(other);
}

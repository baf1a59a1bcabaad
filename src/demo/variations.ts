import type { Notification } from '../protocol/notification.js';

/** How much later a repeat with a new timestamp says that it was initiated, ms. */
const REPEATED_AFTER_MS = 3000;

/** What may be different about a notification that is sent again, or by somebody else. */
export const VARIATIONS = {
  exact: { how: 'byte for byte', change: (message) => message },
  tags: { how: 'tags reordered', change: withTagsReversed },
  timestamp: { how: 'new timestamp', change: withNewTimestamp },
  both: { how: 'tags reordered, new timestamp', change: (message) => withNewTimestamp(withTagsReversed(message)) },
  forged: { how: 'signed with another secret', change: withAnotherReason },
} as const satisfies Record<string, { how: string; change(message: Notification): Notification }>;

export type Variation = keyof typeof VARIATIONS;

function withTagsReversed(message: Notification): Notification {
  const { tags } = message.data as { tags: string[] };
  return { ...message, data: { ...message.data, tags: tags.toReversed() } } as Notification;
}

function withNewTimestamp(message: Notification): Notification {
  return { ...message, timestamp: new Date(Date.parse(message.timestamp) + REPEATED_AFTER_MS).toISOString() };
}

/** Were it taken for authentic, it would be a notification of its own. */
function withAnotherReason(message: Notification): Notification {
  return { ...message, data: { ...message.data, reason: 'closed by an intruder' } } as Notification;
}

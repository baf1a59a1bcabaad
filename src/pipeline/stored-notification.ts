import type { Notification } from '../protocol/notification.js';
import { parseMessageTimestamp } from '../protocol/timestamps.js';
import { streamKey } from './keys.js';
import { score } from './score.js';

/** A notification as it lies in Redis: a job's data in the queue `notifications`, later `notification:<id>`. */
export interface StoredNotification {
  kind: string;
  /** The stream's name in keys; the notification's own id where it has no stream. */
  stream: string;
  /** Whether the notification names no stream, and so is a stream of its own. */
  alone?: true;
  score: number;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** The body as it came; always UTF-8. */
  body: string;
}

/** An authentic body that is no notification; it fails at once and can be replayed. */
export interface StoredInvalid {
  invalid: string;
  receivedAt: number;
  /** Base64: it need not be text. */
  bytes: string;
}

export function storeNotification(
  id: string,
  notification: Notification,
  body: Buffer,
  receivedAt: number,
): StoredNotification {
  const streamId = notification.data?.streamId;
  const alone = typeof streamId !== 'string' || streamId === '';
  const timestamp = parseMessageTimestamp(notification.timestamp) ?? receivedAt;
  return {
    kind: notification.what,
    stream: alone ? id : streamKey(streamId),
    ...(alone ? { alone } : {}),
    score: score(timestamp, notification.what),
    receivedAt,
    body: body.toString('utf8'),
  };
}

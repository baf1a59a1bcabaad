import type { Notification } from '../protocol/notification.js';
import type { AttemptRecord } from './attempt-log.js';
import type { FailedRow } from './failed-rows.js';

/** Which failed deliveries are meant; each field narrows, none means all. */
export interface FailedFilter {
  ids?: readonly string[];
  handler?: string;
  kind?: string;
  stream?: string;
  /** Failed at or after, milliseconds since the epoch. */
  since?: number;
  /** Failed before. */
  until?: number;
}

/**
 * A delivery whose attempts are used up; or, with no handler, an authentic body that was no notification.
 * `waiting`: its replay was asked for and waits its turn; `parked`: its stream waits for a person.
 */
export interface FailedDelivery {
  id: string;
  handler: string | undefined;
  state: 'failed' | 'waiting' | 'parked';
  kind: string | undefined;
  stream: string | undefined;
  /** The notification's, ISO 8601. */
  timestamp: string | undefined;
  /** ISO 8601. */
  receivedAt: string;
  failedAt: string;
  attempts: number;
  reason: string;
}

/** One failed delivery with all that is known of it. */
export interface FailedDetail extends FailedDelivery {
  history: AttemptRecord[];
  /** The body as it came; Base64 where it is not a notification. */
  body: string;
}

/** A row as people see it. */
export function describeRow(row: FailedRow): FailedDelivery {
  const stored = row.stored;
  const notification = stored && 'body' in stored ? (JSON.parse(stored.body) as Notification) : undefined;
  const streamId: unknown = notification?.data?.streamId;
  return {
    id: row.id,
    handler: row.handler,
    state: row.state,
    kind: notification?.what,
    stream: typeof streamId === 'string' && streamId !== '' ? streamId : row.stream || undefined,
    timestamp: typeof notification?.timestamp === 'string' ? notification.timestamp : undefined,
    receivedAt: new Date(stored?.receivedAt ?? row.failedAt).toISOString(),
    failedAt: new Date(row.failedAt).toISOString(),
    attempts: row.attempts,
    reason: row.reason,
  };
}

/** The body as it came; Base64 where it is not a notification; empty where it is gone. */
export function bodyOf({ stored }: FailedRow): string {
  if (!stored) return '';
  return 'bytes' in stored ? stored.bytes : stored.body;
}

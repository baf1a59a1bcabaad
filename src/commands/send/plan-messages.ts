import { randomUUID } from 'node:crypto';
import { buildNotification } from './build-notification.js';

export interface Plan {
  kind: string;
  count: number;
  /** Of all of them; otherwise each has its own. */
  streamId?: string | undefined;
  sessionId?: string | undefined;
  /** Of the first, milliseconds since the epoch; default: the last one's is now. */
  timestamp?: number | undefined;
  tags?: readonly string[] | undefined;
  data: Record<string, unknown>;
}

/** A message to send. */
export interface Message {
  streamId: string;
  body: string;
}

/**
 * The messages of a run, made one at a time. Those of one stream have timestamps 1 ms apart and a `sequence` in their
 * data, in the order in which they are made: they are different facts.
 */
export function planMessages(plan: Plan, now = Date.now()): (index: number) => Message {
  const { kind, count, tags, data } = plan;
  const run = randomUUID().slice(0, 8);
  const sessionId = plan.sessionId ?? `session-${run}`;
  // What --data says of the stream holds for all of them, as it is merged over everything.
  const shared = typeof data.streamId === 'string' ? data.streamId : plan.streamId;
  const several = shared !== undefined && count > 1;
  const first = plan.timestamp ?? (several ? now - count + 1 : now);
  return (index) => {
    const streamId = shared ?? `us-east#${index + 1}.${run}`;
    const sequence = several ? index + 1 : undefined;
    const timestamp = several ? first + index : first;
    return { streamId, body: buildNotification({ kind, streamId, sessionId, timestamp, tags, data, sequence }) };
  };
}

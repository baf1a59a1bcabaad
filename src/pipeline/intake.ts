import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { v7 as uuidv7 } from 'uuid';
import type { Notification } from '../protocol/notification.js';
import type { VerifiedBody } from '../protocol/signature.js';
import { identify, identifyBytes } from './identity.js';
import type { Keys } from './keys.js';
import type { PipelineObserver } from './observer.js';
import { type StoredInvalid, type StoredNotification, storeNotification } from './stored-notification.js';
import { createWriter, type IntakeJob } from './writer.js';

export interface IntakeOptions {
  /** A connection that fails fast: no offline queue, no resending. */
  redis: Redis;
  /** The queue `notifications` on that connection. */
  queue: Queue<StoredNotification | StoredInvalid>;
  keys: Keys;
  /** How long a notification waits for earlier ones of its stream, ms. */
  reorderWindowMs: number;
  /** How long a repeat is recognised, seconds. */
  dedupeWindowS: number;
  /** When Redis counts as away, ms; default 700. */
  deadlineMs?: number;
  observer: PipelineObserver;
}

/** Never given up by BullMQ: only a person, or the end of its retention, ends a notification. */
const ATTEMPTS = 1_000_000_000;

/**
 * Makes notifications durable: one job each in the queue `notifications`, and its place in its stream's index. Resolves
 * once Redis has confirmed; rejects with {@link IntakeUnavailableError} when it has not within the deadline, which means
 * "unknown": the platform sends it again, and is recognised then if the first did arrive.
 */
export function createIntake(options: IntakeOptions) {
  const { keys, observer, reorderWindowMs, dedupeWindowS } = options;
  const write = createWriter(options);
  const jobOptions = (id: string, identity: string) => ({
    jobId: id,
    attempts: ATTEMPTS,
    backoff: { type: 'custom' },
    deduplication: { id: identity, ttl: dedupeWindowS * 1000 },
  });

  return {
    async accept(received: {
      notification: Notification;
      body: VerifiedBody;
      receivedAt: number;
    }): Promise<{ id: string; duplicate: boolean }> {
      const { notification, body, receivedAt } = received;
      const id = uuidv7();
      const stored = storeNotification(id, notification, body, receivedAt);
      const held = stored.kind === 'started' || stored.alone ? 0 : reorderWindowMs;
      const job: IntakeJob = {
        name: stored.kind,
        data: stored,
        opts: { ...jobOptions(id, identify(notification, body)), removeOnComplete: true, delay: held },
        ...(stored.alone
          ? {}
          : { index: { key: keys.held(stored.stream), score: stored.score, member: `${id}|${stored.kind}` } }),
      };
      const first = await write(job);
      const duplicate = first !== id;
      observer.accepted({ kind: stored.kind, duplicate });
      return { id: first, duplicate };
    },

    /** Keeps an authentic body that is no notification; the sequencer fails it, so that it is listed and replayable. */
    async keepInvalid(invalid: { body: VerifiedBody; problem: string; receivedAt: number }): Promise<{ id: string }> {
      const id = uuidv7();
      const data = {
        invalid: invalid.problem,
        receivedAt: invalid.receivedAt,
        bytes: invalid.body.toString('base64'),
      };
      const opts = { ...jobOptions(id, identifyBytes(invalid.body)), removeOnComplete: true, delay: 0 };
      return { id: await write({ name: 'invalid', data, opts }) };
    },
  };
}

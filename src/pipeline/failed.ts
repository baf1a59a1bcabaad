import type { Redis } from 'ioredis';
import type { Notification } from '../protocol/notification.js';
import { type AttemptRecord, parseAttempts } from './attempt-log.js';
import type { Dispatcher } from './dispatch.js';
import { type FailedRow, readFailedRows } from './failed-rows.js';
import type { Keys } from './keys.js';
import type { Queues } from './queues.js';
import type { Scripts } from './scripts.js';
import type { StoredInvalid, StoredNotification } from './stored-notification.js';

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

export interface ReplayResult {
  /** Deliveries that run, or wait in their lanes, because of this call. */
  replayed: number;
  /** Those that ran or waited already. */
  already: number;
  /** Those whose notification is no longer in Redis. */
  lost: number;
}

export interface FailedOptions {
  redis: Redis;
  keys: Keys;
  queues: Queues;
  scripts: Scripts;
  dispatch: Dispatcher;
}

/** Lanes under way at a time in a bulk call. */
const LANES_AT_ONCE = 32;
const DELIVERIES_PER_CALL = 500;

/** Failed deliveries: what commands and pages need to list, look at, replay and discard them. */
export function createFailedDeliveries(options: FailedOptions) {
  const { queues, scripts, dispatch } = options;

  async function matching(filter: FailedFilter): Promise<FailedRow[]> {
    const rows: FailedRow[] = [];
    for await (const row of readFailedRows(options, filter)) rows.push(row);
    return rows;
  }

  return {
    /** Newest first. */
    async list(filter: FailedFilter = {}, limit = Number.POSITIVE_INFINITY): Promise<FailedDelivery[]> {
      const rows = await matching(filter);
      return rows
        .sort((a, b) => b.failedAt - a.failedAt)
        .slice(0, limit)
        .map(describe);
    },

    async count(filter: FailedFilter = {}): Promise<number> {
      return (await matching(filter)).length;
    },

    /** All failed deliveries of a notification: one for each handler that failed it. */
    async show(id: string): Promise<FailedDetail[]> {
      const rows = await matching({ ids: [id] });
      return Promise.all(
        rows.map(async (row) => {
          const queue = row.handler === undefined ? queues.notifications() : queues.ofHandler(row.handler);
          const { logs } = await queue.getJobLogs(row.id);
          return { ...describe(row), history: parseAttempts(logs), body: bodyOf(row) };
        }),
      );
    },

    /**
     * Puts failed deliveries into their lanes again, each stream's in order. May be repeated, and may run beside another
     * call: what already runs or waits is left as it is.
     */
    async replay(filter: FailedFilter = {}): Promise<ReplayResult> {
      const rows = await matching(filter);
      const result = { replayed: 0, already: 0, lost: 0 };
      await eachLane(rows, async (handler, stream, lane) => {
        const deliveries = lane.map(({ id, stored }) => ({ id, score: (stored as StoredNotification)?.score ?? 0 }));
        const done = await scripts.replay(handler, stream, deliveries);
        await dispatch(done.dispatch);
        result.replayed += done.replayed;
        result.lost += done.lost;
        result.already += lane.length - done.replayed - done.lost;
      });
      for (const { id } of rows.filter(({ handler }) => handler === undefined)) {
        const job = await queues.notifications().getJob(id);
        const retried = await job?.retry('failed').then(
          () => true,
          () => false,
        );
        if (retried) result.replayed += 1;
        else result.already += 1;
      }
      return result;
    },

    /** Gives failed deliveries up; a parked stream goes on. Returns how many. */
    async discard(filter: FailedFilter = {}): Promise<number> {
      const rows = await matching(filter);
      let count = 0;
      await eachLane(rows, async (handler, stream, lane) => {
        const ids = lane.map(({ id }) => id);
        const done = await scripts.discard(handler, stream, ids, { leaveWaiting: false });
        count += done.count;
        await dispatch(done.dispatch);
        for (const id of done.discarded) await queues.ofHandler(handler).remove(id);
      });
      for (const { id } of rows.filter(({ handler }) => handler === undefined)) {
        count += await queues.notifications().remove(id);
      }
      return count;
    },
  };
}

export type FailedDeliveries = ReturnType<typeof createFailedDeliveries>;

/** Calls `work` for every lane's rows in order of score, in portions, several lanes at a time. */
async function eachLane(
  rows: readonly FailedRow[],
  work: (handler: string, stream: string, rows: readonly FailedRow[]) => Promise<void>,
): Promise<void> {
  const lanes = new Map<string, { handler: string; stream: string; rows: FailedRow[] }>();
  for (const row of rows) {
    if (row.handler === undefined) continue;
    const name = `${row.handler}:${row.stream}`;
    const lane = lanes.get(name) ?? { handler: row.handler, stream: row.stream, rows: [] };
    lane.rows.push(row);
    lanes.set(name, lane);
  }
  const all = [...lanes.values()];
  const next = async (): Promise<void> => {
    for (let lane = all.pop(); lane; lane = all.pop()) {
      const ordered = lane.rows.sort((a, b) => scoreOf(a) - scoreOf(b));
      for (let at = 0; at < ordered.length; at += DELIVERIES_PER_CALL) {
        await work(lane.handler, lane.stream, ordered.slice(at, at + DELIVERIES_PER_CALL));
      }
    }
  };
  await Promise.all(Array.from({ length: LANES_AT_ONCE }, next));
}

function scoreOf({ stored }: FailedRow): number {
  return stored && 'score' in stored ? stored.score : 0;
}

function describe(row: FailedRow): FailedDelivery {
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

function bodyOf({ stored }: FailedRow): string {
  if (!stored) return '';
  return 'bytes' in stored ? (stored as StoredInvalid).bytes : (stored as StoredNotification).body;
}

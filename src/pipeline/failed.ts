import type { Redis } from 'ioredis';
import { parseAttempts } from './attempt-log.js';
import { type Dispatcher, retryFinished } from './dispatch.js';
import { bodyOf, describeRow, type FailedDelivery, type FailedDetail, type FailedFilter } from './failed-delivery.js';
import { eachLane } from './failed-lanes.js';
import { type FailedRow, readFailedRows } from './failed-rows.js';
import type { Keys } from './keys.js';
import type { Queues } from './queues.js';
import type { Scripts } from './scripts.js';

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
        .map(describeRow);
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
          return { ...describeRow(row), history: parseAttempts(logs), body: bodyOf(row) };
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
        const done = await scripts.replay(handler, stream, lane);
        await dispatch(done.dispatch);
        result.replayed += done.replayed;
        result.lost += done.lost;
        result.already += lane.length - done.replayed - done.lost;
      });
      for (const { id } of rows.filter(({ handler }) => handler === undefined)) {
        if (await retryFinished(queues.notifications(), id, 'failed')) result.replayed += 1;
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

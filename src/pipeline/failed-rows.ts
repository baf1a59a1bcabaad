import type { FailedOptions } from './failed.js';
import type { FailedFilter } from './failed-delivery.js';
import { handlerQueue, NOTIFICATIONS_QUEUE, streamKey } from './keys.js';
import { readSubscriptions } from './registry.js';
import type { StoredInvalid, StoredNotification } from './stored-notification.js';

/** A failed job as it lies in Redis, with its notification. */
export interface FailedRow {
  id: string;
  /** Undefined: it failed before any handler, as no notification. */
  handler: string | undefined;
  stream: string;
  state: 'failed' | 'waiting' | 'parked';
  failedAt: number;
  attempts: number;
  reason: string;
  stored: StoredNotification | StoredInvalid | undefined;
}

const PAGE = 500;

/** Reads the failed sets of all handlers that the filter lets through, page by page. */
export async function* readFailedRows(
  options: Pick<FailedOptions, 'redis' | 'keys'>,
  filter: FailedFilter,
): AsyncGenerator<FailedRow> {
  const handlers: (string | undefined)[] =
    filter.handler === undefined
      ? [undefined, ...(await readSubscriptions(options.redis, options.keys)).keys()]
      : [filter.handler];
  for (const handler of handlers) {
    for await (const ids of readIds(options, handler, filter)) {
      for (const row of await readRows(options, handler, ids)) if (row && matches(row, filter)) yield row;
    }
  }
}

async function* readIds(
  { redis, keys }: Pick<FailedOptions, 'redis' | 'keys'>,
  handler: string | undefined,
  filter: FailedFilter,
): AsyncGenerator<string[]> {
  const failed = keys.queue(handler === undefined ? NOTIFICATIONS_QUEUE : handlerQueue(handler), 'failed');
  if (filter.ids) {
    const scores = await Promise.all(filter.ids.map((id) => redis.zscore(failed, id)));
    yield filter.ids.filter((_, at) => scores[at] !== null);
    return;
  }
  const to = filter.until === undefined ? '+inf' : `(${filter.until}`;
  // From the last one's time on, not by offset: meanwhile some may leave the set.
  let from: string | number = filter.since ?? '-inf';
  let seen: string[] = [];
  for (;;) {
    const page = await redis.zrangebyscore(failed, from, to, 'WITHSCORES', 'LIMIT', 0, PAGE + seen.length);
    const ids = page.filter((_, at) => at % 2 === 0);
    const fresh = ids.filter((id) => !seen.includes(id));
    if (fresh.length === 0) return;
    yield fresh;
    from = page.at(-1) as string;
    seen = ids.filter((_, at) => page[2 * at + 1] === from);
  }
}

async function readRows(
  { redis, keys }: Pick<FailedOptions, 'redis' | 'keys'>,
  handler: string | undefined,
  ids: readonly string[],
): Promise<(FailedRow | undefined)[]> {
  const queue = handler === undefined ? NOTIFICATIONS_QUEUE : handlerQueue(handler);
  const jobs = redis.pipeline();
  for (const id of ids) {
    jobs.hmget(keys.queue(queue, id), 'data', 'failedReason', 'finishedOn', 'atm', 'discarded');
    jobs.hget(keys.notification(id), 'data');
  }
  const replies = ((await jobs.exec()) ?? []).map(([error, value]) => {
    if (error) throw error;
    return value;
  });
  const rows = ids.map((id, at): FailedRow | undefined => {
    const job = replies[2 * at] as (string | null)[];
    const [data, failedReason, finishedOn, attempts, discarded] = job;
    if (!data || discarded) return undefined;
    const jobData = JSON.parse(data) as { stream?: string } | StoredInvalid;
    const stored = handler === undefined ? data : (replies[2 * at + 1] as string | null);
    return {
      id,
      handler,
      stream: 'stream' in jobData ? (jobData.stream ?? '') : '',
      state: 'failed',
      failedAt: Number(finishedOn),
      attempts: Number(attempts ?? 0),
      reason: failedReason ?? '',
      stored: stored ? (JSON.parse(stored) as StoredNotification) : undefined,
    };
  });
  if (handler !== undefined) await readStates({ redis, keys }, handler, rows);
  return rows;
}

/** Whether a failed delivery is in its lane: as the one that parks it, or waiting for its replay. */
async function readStates(
  { redis, keys }: Pick<FailedOptions, 'redis' | 'keys'>,
  handler: string,
  rows: readonly (FailedRow | undefined)[],
): Promise<void> {
  const present = rows.filter((row) => row !== undefined);
  const pipeline = redis.pipeline();
  for (const { id, stream } of present) {
    pipeline.zscore(keys.lane(handler, stream), id);
    pipeline.hmget(keys.flight(handler, stream), 'id', 'parked');
  }
  const replies = (await pipeline.exec()) ?? [];
  for (const [at, row] of present.entries()) {
    if (replies[2 * at]?.[1] === null) continue;
    const [inFlight, parked] = (replies[2 * at + 1]?.[1] ?? []) as (string | null)[];
    row.state = inFlight === row.id && parked ? 'parked' : 'waiting';
  }
}

function matches(row: FailedRow, filter: FailedFilter): boolean {
  if (filter.since !== undefined && row.failedAt < filter.since) return false;
  if (filter.until !== undefined && row.failedAt >= filter.until) return false;
  if (filter.stream !== undefined && row.stream !== streamKey(filter.stream)) return false;
  if (filter.kind !== undefined && (!row.stored || !('kind' in row.stored) || row.stored.kind !== filter.kind))
    return false;
  return true;
}

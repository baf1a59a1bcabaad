import type { JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { StoredInvalid, StoredNotification } from './stored-notification.js';

/** A job to add, and its place in its stream's index. */
export interface IntakeJob {
  name: string;
  data: StoredNotification | StoredInvalid;
  opts: JobsOptions;
  index?: { key: string; score: number; member: string };
}

/** Redis did not confirm in time: whether the notification was kept is unknown. */
export class IntakeUnavailableError extends Error {
  override readonly name = 'IntakeUnavailableError';
}

interface Waiting {
  job: IntakeJob;
  resolve(firstId: string): void;
  reject(error: Error): void;
}

/**
 * How many notifications share a round trip. Several small batches under way beat one large one, in which everybody
 * waits for everybody.
 */
const BATCH = 16;
/** Redis answers in microseconds; what waits longer waits for a Redis that is away. */
const DEADLINE_MS = 700;
/** An index without its jobs (its writer died, or they were repeats) goes away by itself. */
const INDEX_TTL_S = 14 * 86_400;

/**
 * Writes jobs, together with their index, in batches: those of one turn of the event loop share round trips. Gives the id
 * of the first job with the same identity: the job's own, or that of the one it repeats.
 */
export function createWriter(options: { redis: Redis; queue: Queue; deadlineMs?: number }) {
  const { redis, queue, deadlineMs = DEADLINE_MS } = options;
  let waiting: Waiting[] = [];
  let isEndingConnection = false;

  function flush(): void {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += BATCH) void writeBatch(all.slice(at, at + BATCH));
  }

  /** What Redis still owes would pile up: a new connection starts with nothing owed. Once is enough for all batches. */
  function startAfresh(): void {
    if (isEndingConnection || redis.status !== 'ready') return;
    isEndingConnection = true;
    redis.once('close', () => {
      isEndingConnection = false;
    });
    redis.disconnect(true);
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      if (redis.status !== 'ready') throw new IntakeUnavailableError(`Redis is away (connection: ${redis.status})`);
      const deadline = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new IntakeUnavailableError(`Redis did not confirm within ${deadlineMs} ms`));
          startAfresh();
        }, deadlineMs);
      });
      const firstIds = await Promise.race([addAll(batch), deadline]);
      for (const [at, { resolve }] of batch.entries()) resolve(firstIds[at] as string);
    } catch (cause) {
      const error =
        cause instanceof IntakeUnavailableError
          ? cause
          : new IntakeUnavailableError(`Redis did not confirm: ${(cause as Error).message}`, { cause });
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Index first, on the same connection: whoever sees a job finds it indexed. */
  async function addAll(batch: readonly Waiting[]): Promise<string[]> {
    const pipeline = redis.pipeline();
    for (const { job } of batch) {
      if (!job.index) continue;
      pipeline.zadd(job.index.key, job.index.score, job.index.member);
      pipeline.expire(job.index.key, INDEX_TTL_S);
    }
    const indexed = pipeline.exec();
    const added = queue.addBulk(batch.map(({ job: { name, data, opts } }) => ({ name, data, opts })));
    const [replies, jobs] = await Promise.all([indexed, added]);
    for (const [error] of replies ?? []) if (error) throw error;
    const firstIds = jobs.map((job) => job.id as string);
    dropRepeats(batch, firstIds);
    return firstIds;
  }

  /** A repeat has no job: its place in the index goes again. Nobody waits for that; a release passes over it, too. */
  function dropRepeats(batch: readonly Waiting[], firstIds: readonly string[]): void {
    for (const [at, { job }] of batch.entries()) {
      if (job.index && firstIds[at] !== job.opts.jobId) redis.zrem(job.index.key, job.index.member).catch(() => {});
    }
  }

  return (job: IntakeJob): Promise<string> =>
    new Promise((resolve, reject) => {
      if (waiting.push({ job, resolve, reject }) === 1) setImmediate(flush);
    });
}

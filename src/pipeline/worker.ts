import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ResolvedHandler } from '../handlers/resolve-handler.js';
import type { PipelineLog } from './attempt-report.js';
import { deliveryBackOff, sequencerBackOff } from './back-off.js';
import { createDelivery } from './delivery.js';
import { createDispatcher } from './dispatch.js';
import { insist } from './insist.js';
import { createKeys, handlerQueue, NOTIFICATIONS_QUEUE } from './keys.js';
import type { PipelineObserver } from './observer.js';
import { createQueues } from './queues.js';
import { registerHandlers, startHeartbeat } from './registry.js';
import { createScripts } from './scripts.js';
import { createSequencer } from './sequencer.js';
import { startSweeper } from './sweeper.js';
import { MOST_CRASHES, SHARED_WORKER_OPTIONS } from './worker-options.js';

export interface PipelineWorkerOptions {
  /** A connection that waits for Redis however long it is away. */
  redis: Redis;
  prefix: string;
  handlers: readonly ResolvedHandler[];
  reorderWindowMs: number;
  reorderMissingStartMs: number;
  eventRetentionS: number;
  failedRetentionS: number;
  observer: PipelineObserver;
  log: PipelineLog;
  onError: (error: Error) => void;
  /** Gives up a start that waits for Redis. */
  signal?: AbortSignal;
}

export interface PipelineWorker {
  /**
   * Takes nothing new and waits for what runs. Shortly before `timeoutMs` is over the handlers' signals are aborted, and
   * what heeds them goes back to its queue. Resolves false where handlers were left running, or Redis was away.
   */
  close(timeoutMs: number): Promise<boolean>;
}

/** The part of the time to close in which handlers may end by themselves; the rest is for those that heed the signal. */
const GRACE = 0.75;
/** Notifications released at a time, in each worker: a release is one script, its wait is for Redis. */
const SEQUENCER_CONCURRENCY = 100;
/** A worker that dies while it releases is never the notification's fault. */
const SEQUENCER_CRASHES = 1_000_000_000;

/** Registers the handlers, and then releases and delivers until closed. Waits while Redis is away. */
export async function startPipelineWorker(options: PipelineWorkerOptions): Promise<PipelineWorker> {
  const { redis, prefix, handlers, eventRetentionS, observer, log, onError } = options;
  const keys = createKeys(prefix);
  const queues = createQueues({ redis, prefix, onError });
  const scripts = createScripts(redis, keys, options);
  const dispatch = createDispatcher({ queues, eventRetentionS });
  await insist(() => registerHandlers(redis, keys, handlers), options.signal ?? new AbortController().signal);

  const connection = { connection: redis, prefix, ...SHARED_WORKER_OPTIONS };
  const sequencer = new Worker(NOTIFICATIONS_QUEUE, createSequencer({ ...options, scripts, dispatch }), {
    ...connection,
    concurrency: SEQUENCER_CONCURRENCY,
    maxStalledCount: SEQUENCER_CRASHES,
    settings: { backoffStrategy: sequencerBackOff },
  });
  const deliveries = handlers.map(
    (handler) =>
      new Worker(handlerQueue(handler.name), createDelivery({ handler, scripts, dispatch, observer, log }), {
        ...connection,
        concurrency: handler.concurrency,
        maxStalledCount: MOST_CRASHES,
        settings: { backoffStrategy: deliveryBackOff },
      }),
  );
  for (const worker of [sequencer, ...deliveries]) worker.on('error', onError);
  for (const worker of deliveries) {
    // Somebody else may run it now: this run had better end.
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) worker.cancelJob(id, 'lock lost');
    });
  }
  const heartbeat = startHeartbeat({ redis, keys, handlers, onError });
  const sweeper = startSweeper({ ...options, scripts, queues, dispatch });

  return {
    async close(timeoutMs) {
      sweeper.stop();
      const closed = Promise.all([heartbeat.stop(), ...[sequencer, ...deliveries].map((worker) => worker.close())]);
      const interrupt = setTimeout(() => {
        for (const worker of deliveries) worker.cancelAllJobs('shutting down');
      }, timeoutMs * GRACE);
      const deadline = new AbortController();
      const clean = await Promise.race([
        closed.then(() => true),
        wait(timeoutMs, false, { signal: deadline.signal }).catch(() => false),
      ]);
      clearTimeout(interrupt);
      deadline.abort();
      if (clean) await queues.close();
      return clean;
    },
  };
}

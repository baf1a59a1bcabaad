import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Handler } from '../handlers/handler.js';
import { resolveHandler } from '../handlers/resolve-handler.js';
import type { PipelineObserver } from '../pipeline/observer.js';
import { startPipelineWorker } from '../pipeline/worker.js';
import { createWorkerConnection } from '../redis/connect.js';
import type { RedisAddress } from '../redis/redis-url.js';
import type { Releasers } from './releasers.js';

/** The handlers' side: a connection that waits, and the pipeline's worker on it. Resolves once the handlers are registered. */
export async function startWorker(options: {
  config: Config;
  address: RedisAddress;
  handlers: readonly Handler[];
  observer: PipelineObserver;
  log: Logger;
  releasers: Releasers;
}): Promise<void> {
  const { config, address, handlers, observer, releasers } = options;
  const log = options.log.child({ component: 'worker' });
  const redis = createWorkerConnection(address, log);
  releasers.add('worker connection', () => redis.disconnect());
  const defaults = {
    concurrency: config.handlerConcurrency,
    attempts: config.handlerAttempts,
    backoffMs: config.handlerBackoffMs,
    timeoutMs: config.handlerTimeoutMs,
  };
  const stopping = new AbortController();
  releasers.add('start of the worker', () => stopping.abort());
  const worker = await startPipelineWorker({
    redis,
    prefix: config.queuePrefix,
    handlers: handlers.map((handler) => resolveHandler(handler, defaults)),
    reorderWindowMs: config.reorderWindowMs,
    reorderMissingStartMs: config.reorderMissingStartMs,
    eventRetentionS: config.eventRetentionS,
    failedRetentionS: config.failedRetentionS,
    observer,
    log,
    signal: stopping.signal,
    // Outages are said once, by the connection; this is what each of BullMQ's waiting commands says of them.
    onError: (err) => log.debug({ err }, 'queue'),
  });
  log.info({ handlers: handlers.map(({ name, on }) => ({ name, on })) }, 'handlers registered');
  releasers.add('worker', async () => {
    const clean = await worker.close(config.shutdownTimeoutMs);
    if (clean) return;
    const why = redis.status === 'ready' ? 'handlers were still running' : 'Redis was away';
    log.warn(`${why} at the deadline: what was running runs again elsewhere`);
  });
}

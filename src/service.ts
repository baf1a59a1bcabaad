import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { settings } from './config/settings.js';
import type { Config } from './config.js';
import { createAdmin } from './console/create-admin.js';
import { createMetrics } from './console/metrics.js';
import { createForwardHandler } from './handlers/builtin/forward.js';
import type { Handler } from './handlers/handler.js';
import { loadHandlers } from './handlers/load-handlers.js';
import { readDepths } from './pipeline/depths.js';
import { createKeys } from './pipeline/keys.js';
import { createProducerConnection } from './redis/connect.js';
import { describeListenError } from './service/listen-error.js';
import { openRedis } from './service/open-redis.js';
import { createReleasers, type Releasers } from './service/releasers.js';
import { startReceiver } from './service/start-receiver.js';
import { startWorker } from './service/start-worker.js';
import { watchRedis } from './service/watch-redis.js';

/** A running Sluice: what `sluice start` starts, and what a test may start in its own process. */
export interface Service {
  /** Of the public listener; undefined for a worker. */
  readonly port: number | undefined;
  readonly adminPort: number;
  /** Resolves when the service cannot go on; it has not closed itself then. */
  readonly broken: Promise<Error>;
  /** Answers what is in flight, lets handlers end within `SHUTDOWN_TIMEOUT_MS`, and lets go of everything. */
  close(): Promise<void>;
}

/** How long a start waits for Redis before it goes on without: long enough to refuse an unfit one with one line. */
const FIRST_CHECK_MS = 2000;

/**
 * Wires the parts together, as the configuration's role asks. Rejects where the service cannot start: handlers that do not
 * load, no Redis on the machine, an unfit one, a port in use. A Redis that is away does not stop the start: requests are
 * answered 503 until it is there, and workers wait.
 */
export async function createService(config: Config, log: Logger): Promise<Service> {
  const releasers = createReleasers(log);
  try {
    return await start(config, log, releasers);
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

async function start(config: Config, log: Logger, releasers: Releasers): Promise<Service> {
  for (const warning of config.warnings) log.warn(warning);
  const handlers = config.role === 'receiver' ? [] : await readHandlers(config, log);
  const metrics = createMetrics();
  let breakDown: (error: Error) => void = () => {};
  const broken = new Promise<Error>((resolve) => {
    breakDown = resolve;
  });
  const { address, stop } = await openRedis(config, log, breakDown);
  releasers.add('private Redis', stop);

  const control = createProducerConnection(address, log, 'control');
  releasers.add('control connection', () => control.disconnect());
  const redis = watchRedis(control, log, (up) => metrics.pipeline.redisUp(up));
  // Said in the log by the connection, which goes on trying.
  control.connect().catch(() => {});
  metrics.collectDepths(() => readDepths(control, createKeys(config.queuePrefix)));
  await Promise.race([redis.fit, wait(FIRST_CHECK_MS, undefined, { ref: false })]);

  const state = { working: config.role === 'receiver', stopping: false };
  const admin = createAdmin({
    host: config.adminHost,
    port: config.adminPort,
    token: config.adminToken,
    registry: metrics.registry,
    readiness: async () => {
      const reasons = unreadiness(redis.isUp(), state);
      return { ready: reasons.length === 0, reasons };
    },
    log,
  });
  const adminPort = await admin.listen().catch((error) => {
    const address = { port: config.adminPort, host: config.adminHost };
    throw describeListenError(error, { port: 'ADMIN_PORT', host: 'ADMIN_HOST' }, address);
  });
  releasers.add('admin listener', () => admin.close());

  const ofWorker = createReleasers(log);
  const ofReceiver = createReleasers(log);
  // Side by side: each may take all the time of a stop.
  releasers.add('receiver and worker', () => Promise.all([ofReceiver.releaseAll(), ofWorker.releaseAll()]));
  const parts = { config, address, observer: metrics.pipeline, log };
  const started = redis.fit.then(() => {
    if (config.role !== 'receiver' && !state.stopping) return startWorker({ ...parts, handlers, releasers: ofWorker });
  });
  started.then(
    () => {
      state.working = true;
    },
    (error: Error) => state.stopping || breakDown(error),
  );
  // With Redis there, whoever sees the service started finds its handlers registered.
  if (redis.isUp()) await started;

  const port =
    config.role === 'worker'
      ? undefined
      : await startReceiver({ ...parts, receiverObserver: metrics.receiver, releasers: ofReceiver });
  log.info({ role: config.role, port, adminPort }, 'sluice is running');
  return {
    port,
    adminPort,
    broken,
    close: () => {
      state.stopping = true;
      return releasers.releaseAll();
    },
  };
}

/** What keeps the service from doing its work, in words; empty: it is ready. */
function unreadiness(isRedisUp: boolean, state: { working: boolean; stopping: boolean }): string[] {
  return [
    ...(isRedisUp ? [] : ['Redis is away']),
    ...(state.working ? [] : ['the handlers are not registered yet']),
    ...(state.stopping ? ['shutting down'] : []),
  ];
}

async function readHandlers(config: Config, log: Logger): Promise<Handler[]> {
  const { forwardUrl: url, forwardSecret: secret } = config;
  const builtIn = url !== undefined && secret !== undefined ? [createForwardHandler({ url, secret })] : [];
  const { handlers } = await loadHandlers({
    sources: config.handlers,
    defaultSource: config.handlers.length === 1 && config.handlers[0] === settings.handlers.default,
    builtIn,
    log,
  });
  return handlers;
}

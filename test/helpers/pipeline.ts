import type { Redis } from 'ioredis';
import { defineHandler } from '../../src/handlers/define-handler.js';
import type { Handler, HandlerContext, HandlerDefinition } from '../../src/handlers/handler.js';
import { resolveHandler } from '../../src/handlers/resolve-handler.js';
import { createDispatcher } from '../../src/pipeline/dispatch.js';
import { createFailedDeliveries } from '../../src/pipeline/failed.js';
import { createIntake } from '../../src/pipeline/intake.js';
import { createKeys } from '../../src/pipeline/keys.js';
import type { PipelineObserver } from '../../src/pipeline/observer.js';
import { createQueues } from '../../src/pipeline/queues.js';
import { createScripts } from '../../src/pipeline/scripts.js';
import { type PipelineWorker, startPipelineWorker } from '../../src/pipeline/worker.js';
import type { Notification } from '../../src/protocol/notification.js';
import { createProducerConnection, createWorkerConnection } from '../../src/redis/connect.js';
import type { OutageLog } from '../../src/redis/report-outages.js';
import { received } from './notifications.js';
import { type TestRedis, uniquePrefix } from './redis.js';

export const DEFAULTS = {
  reorderWindowMs: 150,
  reorderMissingStartMs: 600,
  dedupeWindowS: 3600,
  eventRetentionS: 86_400,
  failedRetentionS: 1_209_600,
};

export const silentObserver: PipelineObserver = {
  accepted: () => {},
  released: () => {},
  attempted: () => {},
  redisUp: () => {},
};

export const silentLog = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};

/** What a handler saw. */
export interface Seen {
  notification: Notification;
  context: HandlerContext;
  at: number;
}

/** A handler that remembers what it saw, and then does what it is told. */
export function recorder(
  name: string,
  definition: Partial<HandlerDefinition> = {},
  act: (seen: Seen) => unknown = () => {},
): { handler: Handler; seen: Seen[] } {
  const seen: Seen[] = [];
  const handler = defineHandler({
    on: '*',
    ...definition,
    name,
    async handle(notification: Notification, context: HandlerContext) {
      const one = { notification, context, at: Date.now() };
      seen.push(one);
      await act(one);
    },
  });
  return { handler, seen };
}

type Attempted = Parameters<PipelineObserver['attempted']>[0];

/** Both ends of a pipeline on a real Redis, under a prefix of its own, in this process. */
export function createPipeline(server: TestRedis, overrides: Partial<typeof DEFAULTS> = {}) {
  const settings = { ...DEFAULTS, ...overrides };
  const prefix = uniquePrefix();
  const keys = createKeys(prefix);
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const attempts: Attempted[] = [];
  const observer = { ...silentObserver, attempted: (event: Attempted) => void attempts.push(event) };
  const address = { ...server.options };
  const outages: string[] = [];
  const say = (fields: object, message: string) => void outages.push(`${message} ${JSON.stringify(fields)}`);
  const outageLog = { error: say, info: say } as OutageLog;
  const producer = createProducerConnection(address, outageLog);
  producer.connect().catch(onError);
  const redis = createWorkerConnection(address, outageLog);
  const queues = createQueues({ redis, prefix, onError });
  const intakeQueues = createQueues({ redis: producer, prefix, producer: true, onError });
  const scripts = createScripts(redis, keys, settings);
  const dispatch = createDispatcher({ queues, eventRetentionS: settings.eventRetentionS });
  const intake = createIntake({
    redis: producer,
    queue: intakeQueues.notifications(),
    keys,
    observer: silentObserver,
    ...settings,
  });
  const workers: { worker: PipelineWorker; redis: Redis }[] = [];

  return {
    prefix,
    keys,
    redis,
    producer,
    queues,
    scripts,
    dispatch,
    intake,
    /** What workers and queues said in `onError`. */
    errors,
    /** What the connections said of outages in their log. */
    outages,
    /** How each attempt ended. */
    attempts,
    failed: createFailedDeliveries({ redis, keys, queues, scripts, dispatch }),
    accept: (message: Notification) => intake.accept(received(message)),
    async startWorker(handlers: readonly Handler[]): Promise<PipelineWorker> {
      const connection = createWorkerConnection(address, outageLog);
      const worker = await startPipelineWorker({
        redis: connection,
        prefix,
        handlers: handlers.map((handler) =>
          resolveHandler(handler, { concurrency: 50, attempts: 5, backoffMs: 20, timeoutMs: 5000 }),
        ),
        observer,
        log: silentLog,
        onError,
        ...settings,
      });
      workers.push({ worker, redis: connection });
      return worker;
    },
    async close() {
      for (const { worker, redis: connection } of workers) {
        await worker.close(200);
        connection.disconnect();
      }
      await queues.close();
      await intakeQueues.close();
      redis.disconnect();
      producer.disconnect();
    },
  };
}

export type TestPipeline = ReturnType<typeof createPipeline>;

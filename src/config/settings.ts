import type { z } from 'zod';
import * as value from './values.js';

/** One variable of the environment. The documents' tables and `.env.example` are written from these. */
export interface Setting<Schema extends z.ZodType<unknown, string> = z.ZodType<unknown, string>> {
  readonly name: string;
  /** As one would write it; none: undefined where the variable is not set. */
  readonly default?: string;
  /** Has to be set (by some roles at least: see `contradictions`). */
  readonly required?: true;
  /** Its value is never shown, and `<name>_FILE` may name a file that holds it. */
  readonly secret?: true;
  readonly meaning: string;
  readonly schema: Schema;
}

/** `fatal` … `trace` are pino's. */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const ROLES = ['all', 'receiver', 'worker'] as const;

/** Every variable that Sluice reads, by its name in {@link Config}, in the order in which documents list them. */
export const settings = {
  port: {
    name: 'PORT',
    default: '3000',
    meaning: 'Port of the public listener: the callback and `GET /healthz`, nothing else. 0: any free one',
    schema: value.portNumber,
  },
  host: {
    name: 'HOST',
    default: '0.0.0.0',
    meaning: 'Address of the public listener',
    schema: value.listenHost,
  },
  callbackPath: {
    name: 'CALLBACK_PATH',
    default: '/callback',
    meaning: 'Where the platform delivers, by GET, POST or PUT',
    schema: value.callbackPath,
  },
  publicBasePath: {
    name: 'PUBLIC_BASE_PATH',
    default: '',
    meaning: 'The part of the path that a proxy in front strips; it is put back before a signature is verified',
    schema: value.basePath,
  },
  applicationId: {
    name: 'APPLICATION_ID',
    meaning: "The application's identifier, for `sluice platform`",
    schema: value.applicationId,
  },
  secrets: {
    name: 'APPLICATION_SECRET',
    required: true,
    secret: true,
    meaning:
      'The key of the signatures; several, separated by commas, while rotating. Required where `ROLE` is `all` or `receiver`',
    schema: value.secretList,
  },
  headerBrand: {
    name: 'HEADER_BRAND',
    default: 'Svc',
    meaning: "The maker's brand in header names: `X-<brand>-Content-Sha256`, `X-<brand>-Timestamp`",
    schema: value.headerToken,
  },
  timestampToleranceS: {
    name: 'TIMESTAMP_TOLERANCE_S',
    default: '2700',
    meaning: 'How old a signed timestamp may be, seconds; 300 s into the future. 0: not checked',
    schema: value.seconds(0),
  },
  bodyLimitBytes: {
    name: 'BODY_LIMIT',
    default: '1mb',
    meaning: 'Largest body of a request, with unit `b`, `kb`, `mb` or `gb`; a larger one is answered 413',
    schema: value.size,
  },
  redisUrl: {
    name: 'REDIS_URL',
    secret: true,
    meaning:
      '`redis://`, `rediss://` (TLS) or `unix://`. Not set: a private Redis of its own, as a child process, in `DATA_DIR/redis`',
    schema: value.redisUrl,
  },
  queuePrefix: {
    name: 'QUEUE_PREFIX',
    default: '{sluice}',
    meaning: 'Every key in Redis starts with it; the braces keep all keys in one slot of a cluster',
    schema: value.keyPrefix,
  },
  reorderWindowMs: {
    name: 'REORDER_WINDOW_MS',
    default: '1000',
    meaning: 'How long a notification waits for earlier ones of its stream, milliseconds',
    schema: value.milliseconds(0),
  },
  reorderMissingStartMs: {
    name: 'REORDER_MISSING_START_MS',
    default: '10000',
    meaning: "How long it waits while its stream's `started` has not been seen, milliseconds",
    schema: value.milliseconds(0),
  },
  dedupeWindowS: {
    name: 'DEDUPE_WINDOW_S',
    default: '3600',
    meaning:
      'How long a repeat is recognised, seconds; at least `TIMESTAMP_TOLERANCE_S`, so that a recorded request is either stale or a repeat',
    schema: value.seconds(1),
  },
  eventRetentionS: {
    name: 'EVENT_RETENTION_S',
    default: '86400',
    meaning: 'How long a notification and its deliveries are kept once handled, seconds',
    schema: value.seconds(0),
  },
  failedRetentionS: {
    name: 'FAILED_RETENTION_S',
    default: '1209600',
    meaning: 'How long a failed delivery is kept for replay, seconds',
    schema: value.seconds(1),
  },
  handlers: {
    name: 'HANDLERS',
    default: './handlers',
    meaning: 'A folder, or files separated by commas, of handler modules: `.js`, `.mjs`, `.ts`',
    schema: value.pathList,
  },
  handlerConcurrency: {
    name: 'HANDLER_CONCURRENCY',
    default: '50',
    meaning: 'Deliveries at a time, of each handler in each worker, where a handler does not say',
    schema: value.wholeNumber(1, 10_000),
  },
  handlerAttempts: {
    name: 'HANDLER_ATTEMPTS',
    default: '5',
    meaning: 'Runs before a delivery is failed, where a handler does not say',
    schema: value.wholeNumber(1, 1000),
  },
  handlerBackoffMs: {
    name: 'HANDLER_BACKOFF_MS',
    default: '1000',
    meaning: 'Wait after the first failed attempt, milliseconds; doubles with each further one',
    schema: value.milliseconds(0),
  },
  handlerTimeoutMs: {
    name: 'HANDLER_TIMEOUT_MS',
    default: '30000',
    meaning: 'How long an attempt may take, milliseconds, where a handler does not say',
    schema: value.milliseconds(1),
  },
  forwardUrl: {
    name: 'FORWARD_URL',
    secret: true,
    meaning: 'Where the built-in `forward` handler posts each notification. Not set: the handler is off',
    schema: value.httpUrl,
  },
  forwardSecret: {
    name: 'FORWARD_SECRET',
    secret: true,
    meaning: 'Key of its signatures (Standard Webhooks: `whsec_` and base64). Required where `FORWARD_URL` is set',
    schema: value.webhookSecret,
  },
  role: {
    name: 'ROLE',
    default: 'all',
    meaning: '`all`, `receiver` (HTTP only) or `worker` (handlers only)',
    schema: value.oneOf(ROLES),
  },
  adminPort: {
    name: 'ADMIN_PORT',
    default: '3001',
    meaning: 'Port of the admin listener: metrics and health. 0: any free one',
    schema: value.portNumber,
  },
  adminHost: {
    name: 'ADMIN_HOST',
    default: '127.0.0.1',
    meaning: 'Address of the admin listener; another than loopback needs `ADMIN_TOKEN`',
    schema: value.listenHost,
  },
  adminToken: {
    name: 'ADMIN_TOKEN',
    secret: true,
    meaning: 'What the admin listener asks for. Not set: it asks for nothing, and listens on loopback only',
    schema: value.token,
  },
  dataDir: {
    name: 'DATA_DIR',
    default: './data',
    meaning: 'Folder of the private Redis',
    schema: value.folder,
  },
  shutdownTimeoutMs: {
    name: 'SHUTDOWN_TIMEOUT_MS',
    default: '10000',
    meaning: 'How long a stop waits for running requests and handlers, milliseconds',
    schema: value.milliseconds(0),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    schema: value.oneOf(LOG_LEVELS),
  },
} as const satisfies Record<string, Setting>;

import type { KnownKind, Notification, NotificationByKind, UnknownNotification } from '../protocol/notification.js';

/** Where a handler writes its own log lines; each carries the handler, stream, id and attempt. pino's loggers fit. */
export interface HandlerLog {
  debug(fields: object, message?: string): void;
  debug(message: string): void;
  info(fields: object, message?: string): void;
  info(message: string): void;
  warn(fields: object, message?: string): void;
  warn(message: string): void;
  error(fields: object, message?: string): void;
  error(message: string): void;
}

/** What a handler is told beside the notification. */
export interface HandlerContext {
  /** The same in every attempt and replay of a notification: the key to be idempotent by. */
  id: string;
  /** 1 for the first; a replay goes on counting. */
  attempt: number;
  /** When the notification arrived. */
  receivedAt: Date;
  /** A later notification of its stream was already handed to this handler. */
  late: boolean;
  /** A person asked for this attempt after the delivery had failed. */
  replayed: boolean;
  /** Grows with every run of the lane (this handler and this stream): a storage can refuse a smaller one. */
  fence: number;
  /** Aborted on time-out, on shutdown, and when the run is no longer the lane's newest. */
  signal: AbortSignal;
  log: HandlerLog;
}

/** The kinds a handler subscribes to: names, or `*` for every kind, unknown ones included. */
export type Subscription = '*' | readonly [string, ...string[]];

/** The notifications that a subscription lets through. */
export type NotificationOf<On> = On extends '*'
  ? Notification
  : On extends readonly (infer Kind)[]
    ? Kind extends KnownKind
      ? NotificationByKind[Kind]
      : UnknownNotification
    : never;

/** `continue`: the stream goes on without the failed delivery. `park`: it waits for a person. */
export type OnExhausted = 'continue' | 'park';

/** A handler as its author writes it, by {@link defineHandler}. */
export interface HandlerDefinition<On extends Subscription = Subscription> {
  /** Unique; letters, digits, `.`, `_` and `-`. Names its queue, its metrics, its failed list. */
  name: string;
  on: On;
  /** Deliveries at a time, in each worker; default `HANDLER_CONCURRENCY`. */
  concurrency?: number;
  /** Runs before a delivery is failed; default `HANDLER_ATTEMPTS`. */
  attempts?: number;
  /** Wait after the first failed attempt, ms; doubles with each further one. Default `HANDLER_BACKOFF_MS`. */
  backoffMs?: number;
  /** How long an attempt may take, ms; default `HANDLER_TIMEOUT_MS`. */
  timeoutMs?: number;
  /** What becomes of the stream once attempts are used up; default `continue`. */
  onExhausted?: OnExhausted;
  handle(notification: NotificationOf<On>, context: HandlerContext): unknown;
}

/** A checked handler, as the pipeline runs it: what it was called with fits its subscription. */
export interface Handler {
  readonly name: string;
  readonly on: Subscription;
  readonly concurrency?: number | undefined;
  readonly attempts?: number | undefined;
  readonly backoffMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onExhausted?: OnExhausted | undefined;
  handle(notification: Notification, context: HandlerContext): unknown;
}

/** What a handler gets that says nothing of its own. */
export interface HandlerDefaults {
  concurrency: number;
  attempts: number;
  backoffMs: number;
  timeoutMs: number;
}

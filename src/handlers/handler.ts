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

/** The notifications of a kind: one of the contract's, or of a kind that it does not know. */
type NotificationOfKind<Kind> = Kind extends KnownKind
  ? NotificationByKind[Kind]
  : string extends Kind
    ? Notification
    : UnknownNotification & { what: Kind };

/** The notifications that a subscription lets through; `what` tells those of several kinds apart. */
export type NotificationOf<On> = On extends '*'
  ? Notification
  : On extends readonly (infer Kind)[]
    ? NotificationOfKind<Kind>
    : never;

/** `continue`: the stream goes on without the failed delivery. `park`: it waits for a person. */
export type OnExhausted = 'continue' | 'park';

/** A handler as its author writes it, for `defineHandler`. */
export interface HandlerDefinition<On extends Subscription = Subscription> {
  /**
   * Unique; 1 to 64 letters, digits, `.`, `_` and `-`, a letter or digit first. Names its queue, its metrics, its failed
   * list.
   */
  name: string;
  on: On;
  /** Deliveries at a time, in each worker, 1 to 10,000; default `HANDLER_CONCURRENCY`. */
  concurrency?: number | undefined;
  /** Runs before a delivery is failed, 1 to 100; default `HANDLER_ATTEMPTS`. */
  attempts?: number | undefined;
  /** Wait after the first failed attempt, ms, up to a day; doubles with each further one. Default `HANDLER_BACKOFF_MS`. */
  backoffMs?: number | undefined;
  /** How long an attempt may take, ms, up to a day; default `HANDLER_TIMEOUT_MS`. */
  timeoutMs?: number | undefined;
  /** What becomes of the stream once attempts are used up; default `continue`. */
  onExhausted?: OnExhausted | undefined;
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

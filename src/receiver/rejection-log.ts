import type { Logger } from 'pino';
import type { ReceiverObserver, RejectionReason } from './observer.js';

/** A request that was not let in. Nothing of its content, headers or query is in it. */
export interface Rejection {
  reason: RejectionReason;
  /** In words; no secret and no signature in it. */
  detail: string;
  method: string;
  /** Without the query. */
  path: string;
  remoteAddress: string | undefined;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** Size of the body as far as it was read. */
  bytes: number;
}

/** Where requests that were not authentic are recorded, with the reason that their senders are not told. */
export interface RejectionLog {
  record(rejection: Rejection): void;
}

/** Records rejections in the service's log, at `warn`, and counts them. */
export function createRejectionLog(options: { log: Logger; observer: ReceiverObserver }): RejectionLog {
  const log = options.log.child({ component: 'rejections' });
  return {
    record: ({ receivedAt, ...rejection }) => {
      options.observer.rejected(rejection.reason);
      log.warn({ ...rejection, receivedAt: new Date(receivedAt).toISOString() }, 'request rejected');
    },
  };
}

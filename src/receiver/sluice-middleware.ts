import type { Request, RequestHandler } from 'express';
import { type Logger, pino } from 'pino';
import { answerError } from './answer-error.js';
import { createCallbackHandler } from './callback-handler.js';
import type { InvalidNotification, VerifiedNotification } from './intake.js';
import { noReceiverObserver, type ReceiverObserver } from './observer.js';
import { createOverloadGuard } from './overload-guard.js';
import { createRejectionLog } from './rejection-log.js';
import { createRequestLog } from './request-log.js';

export interface SluiceMiddlewareOptions {
  /** The application's secrets, newest first. */
  secrets: readonly string[];
  /** The maker's brand in header names; default `Svc`. */
  brand?: string;
  /** How old the signed timestamp may be, seconds; 0: not checked. Default 2,700. */
  toleranceS?: number;
  /** What a proxy in front strips from the path; default none. */
  publicBasePath?: string;
  /** Largest body, bytes; default 1 MiB. */
  bodyLimitBytes?: number;
  /** Most notifications that {@link onNotification} may have at a time, beyond: 503. Default 2,000. */
  maxInFlight?: number;
  /** Takes an authentic notification. Once it resolves the platform is answered 200; where it rejects, 503. */
  onNotification(notification: VerifiedNotification, request: Request): Promise<unknown>;
  /** Takes an authentic request that is no notification, before it is answered 400 and never comes again. */
  onInvalid?(invalid: InvalidNotification, request: Request): Promise<unknown>;
  /** Default: a logger of its own, from `warn` on. */
  log?: Logger;
  observer?: ReceiverObserver;
}

const MIB = 1024 * 1024;

/**
 * The callback for an Express app of your own, without queue and Redis: verifies, reads, calls you back, and answers the
 * platform so that it repeats what you could not take (contract: "Notification delivery", "Notification authentication").
 * Repeats are not told apart and nothing is put in order: that is what the service is for.
 *
 * It must see the body before anybody else: mount it in front of `express.json()` and the like.
 *
 * ```ts
 * app.use('/callback', sluiceMiddleware({ secrets: [secret], onNotification: async ({ notification }) => { … } }));
 * ```
 */
export function sluiceMiddleware(options: SluiceMiddlewareOptions): RequestHandler {
  if (options.secrets.length === 0 || options.secrets.includes('')) {
    throw new TypeError('sluiceMiddleware: secrets: expected one or more that are not empty');
  }
  const { observer = noReceiverObserver, log = pino({ name: 'sluice', level: 'warn' }) } = options;
  const record = createRequestLog(log, observer);
  const handle = createCallbackHandler({
    receive: {
      authentication: {
        secrets: () => options.secrets,
        brand: options.brand ?? 'Svc',
        toleranceS: options.toleranceS ?? 2_700,
        publicBasePath: options.publicBasePath ?? '',
      },
      bodyLimitBytes: options.bodyLimitBytes ?? MIB,
      guard: createOverloadGuard({ maxInFlight: options.maxInFlight ?? 2_000, maxBufferedBytes: 256 * MIB }),
      destination: {
        accept: async (notification, request) => {
          await options.onNotification(notification, request as Request);
          return { duplicate: false };
        },
        keepInvalid: async (invalid, request) => options.onInvalid?.(invalid, request as Request),
      },
    },
    rejections: createRejectionLog({ log, observer }),
    record,
    isStopping: () => false,
    closesAfter: () => false,
    isAnswered: () => false,
  });
  return (request, response) => {
    handle(request, response).catch((error) => answerError(error, request, response, record));
  };
}

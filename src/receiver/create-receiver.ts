import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { answerBrokenRequests, type BrokenRequest } from './answer-broken-requests.js';
import { ANSWERS } from './answers.js';
import { createCallbackHandler } from './callback-handler.js';
import { trackConnections } from './connections.js';
import { createExpressServer, DEFAULT_TIMEOUTS, type ServerTimeouts } from './express-server.js';
import type { Intake } from './intake.js';
import { noReceiverObserver, type ReceiverObserver } from './observer.js';
import { createOverloadGuard } from './overload-guard.js';
import { createReceiverApp, receiverListener } from './receiver-app.js';
import { createRejectionLog, type RejectionLog } from './rejection-log.js';
import { createRequestLog, type RequestRecord } from './request-log.js';
import { originForm, pathOf } from './request-target.js';
import { createRequestRouter } from './route-request.js';
import { stopServer } from './stop-server.js';

export interface ReceiverOptions {
  intake: Intake;
  log: Logger;
  observer?: ReceiverObserver;
  /** Default: the log, at `warn`. */
  rejections?: RejectionLog;
  /** The secrets as they are now, newest first. Where it throws or gives none, requests are answered 503. */
  secrets: () => readonly string[];
  /** Where the platform delivers, exactly as it stands in the request; default `/callback`. */
  callbackPath?: string;
  /** What a proxy in front strips from the path; default none. */
  publicBasePath?: string;
  /** The maker's brand in header names; default `Svc`. */
  brand?: string;
  /** How old the signed timestamp may be, seconds; 0: not checked. Default 2,700. */
  toleranceS?: number;
  /** Largest body, bytes; default 1 MiB. */
  bodyLimitBytes?: number;
  /** Most authentic notifications that wait for the intake; default 2,000. */
  maxInFlight?: number;
  /** Most bytes of bodies at hand; default 256 MiB. */
  maxBufferedBytes?: number;
  timeouts?: Partial<ServerTimeouts>;
}

/** The public listener: the callback and `GET /healthz`. */
export interface Receiver {
  readonly app: Express;
  readonly server: Server;
  /** Rejects where it cannot listen there. `port` is the one chosen where 0 was asked for. */
  listen(port: number, host: string): Promise<{ port: number }>;
  /** Answers what is in flight, turns new requests away, and resolves within `deadlineMs` in any case. */
  close(deadlineMs: number): Promise<void>;
}

const MIB = 1024 * 1024;

/** Builds the receiver; nothing listens before {@link Receiver.listen}. */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { intake, observer = noReceiverObserver } = options;
  const log = options.log.child({ component: 'receiver' });
  const record = createRequestLog(log, observer);
  let stopping = false;
  /** While stopping; but not before requests that came behind on the same connection have their answers. */
  const closesAfter = (request: IncomingMessage) =>
    stopping && connections.of(request.socket)?.latest?.request === request;
  const callback = createCallbackHandler({
    receive: {
      authentication: {
        secrets: options.secrets,
        brand: options.brand ?? 'Svc',
        toleranceS: options.toleranceS ?? 2_700,
        publicBasePath: options.publicBasePath ?? '',
      },
      bodyLimitBytes: options.bodyLimitBytes ?? MIB,
      guard: createOverloadGuard({
        maxInFlight: options.maxInFlight ?? 2_000,
        maxBufferedBytes: options.maxBufferedBytes ?? 256 * MIB,
      }),
      destination: intake,
    },
    rejections: options.rejections ?? createRejectionLog({ log: options.log, observer }),
    record,
    isStopping: () => stopping,
    closesAfter,
    isAnswered: (request) => connections.of(request.socket)?.broken ?? false,
  });
  const handle = createRequestRouter({
    callbackPath: options.callbackPath ?? '/callback',
    callback,
    record,
    isStopping: () => stopping,
    closesAfter,
  });
  const app = createReceiverApp(handle, record);
  const listener = receiverListener(app, handle, record);
  const server = createExpressServer(app, { ...DEFAULT_TIMEOUTS, ...options.timeouts }, (request, response) => {
    connections.begin(request, response);
    listener(request, response);
  });
  const connections = trackConnections(server);
  answerBrokenRequests(server, connections, (broken) => record(brokenRecord(broken)));
  let closed: Promise<void> | undefined;
  return {
    app,
    server,
    listen: async (port, host) => {
      const listening = await listen(server, port, host);
      server.on('error', (err) => log.error({ err }, 'the public listener failed to take a connection'));
      return listening;
    },
    close: (deadlineMs) => {
      stopping = true;
      closed ??= stopServer(server, connections, deadlineMs);
      return closed;
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port });
    });
  });
}

function brokenRecord({ request, code, remoteAddress, durationMs }: BrokenRequest): RequestRecord {
  return {
    method: request?.method ?? '',
    path: pathOf(originForm(request?.url ?? '')),
    outcome: 'malformed',
    status: ANSWERS.malformed.http,
    durationMs,
    problem: code,
    remoteAddress,
  };
}

import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** How long senders may take, ms. */
export interface ServerTimeouts {
  /** For a request's headers. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** Between two requests of a connection: longer than a proxy in front keeps one open (75 s is usual). */
  keepAliveMs: number;
}

export const DEFAULT_TIMEOUTS: ServerTimeouts = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 80_000 };

/** Longest time between two looks at the time-outs above, ms. */
const TIMEOUT_CHECK_MS = 1_000;
/** Room for the request line and all headers, bytes. */
const MAX_HEADER_BYTES = 32 * 1024;

/**
 * An HTTP server for an Express app, with requests and responses made in the shape that the app gives them.
 *
 * Express sets the prototype of every request and response to `app.request` and `app.response`. On objects of another
 * shape that throws away what V8 has optimised, and costs most of the throughput; on these it changes nothing.
 */
export function createExpressServer(app: Express, timeouts: ServerTimeouts, listener: RequestListener): Server {
  const server = createServer(
    {
      IncomingMessage: shaped(IncomingMessage, app.request),
      ServerResponse: shaped(ServerResponse, app.response) as typeof ServerResponse,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, timeouts.headersMs, timeouts.requestMs),
      maxHeaderSize: MAX_HEADER_BYTES,
      // Without a Host header Node answers 400 by itself, and the platform does not repeat a 4XX.
      requireHostHeader: false,
    },
    listener,
  );
  // Beyond this count (2,000) Node drops headers silently, a signature among them; the size is bounded anyway.
  server.maxHeadersCount = 0;
  // A sender that closes its side once it has sent everything still gets its answer. (Node's types do not know the field.)
  Object.assign(server, { httpAllowHalfOpen: true });
  // An expectation that Node does not know it answers 417; here the request counts.
  server.on('checkExpectation', listener);
  return server;
}

/** Node's own classes are functions: called on an object, they set it up. `Reflect.construct` would be twice as slow. */
function shaped<Base extends typeof IncomingMessage | typeof ServerResponse>(base: Base, prototype: object): Base {
  const setUp = base as unknown as (this: object, first: unknown, second: unknown) => void;
  function Shaped(this: object, first: unknown, second: unknown) {
    setUp.call(this, first, second);
  }
  Shaped.prototype = prototype;
  return Shaped as unknown as Base;
}

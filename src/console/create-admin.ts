import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

export interface AdminOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** What `/metrics` asks for, as a Bearer token; undefined: nothing. */
  token: string | undefined;
  registry: Registry;
  /** Whether the process can do its work, and if not, what is in the way. */
  readiness: () => Promise<{ ready: boolean; reasons: string[] }>;
  log: Logger;
}

/** The listener for operators, apart from the public one. */
export interface Admin {
  /** Resolves with the port; rejects where it cannot listen. */
  listen(): Promise<number>;
  close(): Promise<void>;
}

/** Builds the admin listener: `/metrics`, `/healthz` (the process lives) and `/readyz` (it can do its work). */
export function createAdmin(options: AdminOptions): Admin {
  const { registry, readiness } = options;
  const log = options.log.child({ component: 'admin' });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/readyz', async (_request, response) => {
    const { ready, reasons } = await readiness();
    response.status(ready ? 200 : 503).json(ready ? { status: 'ok' } : { status: 'unavailable', reasons });
  });
  app.get('/metrics', requireToken(options.token), async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  app.use((_request, response) => void response.status(404).json({ status: 'not-found' }));
  const onError: ErrorRequestHandler = (err, _request, response, _next) => {
    log.error({ err }, 'admin request failed');
    response.status(500).json({ status: 'error' });
  };
  app.use(onError);
  const server = createServer(app);

  return {
    async listen() {
      server.listen(options.port, options.host);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      log.info({ port, host: options.host }, 'admin listening');
      return port;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Compares hashes: the same length whatever was sent, and in constant time. */
function requireToken(token: string | undefined): RequestHandler {
  if (token === undefined) return (_request, _response, next) => next();
  const expected = hash(`Bearer ${token}`);
  return (request, response, next) => {
    if (timingSafeEqual(hash(request.headers.authorization ?? ''), expected)) return next();
    response.status(401).set('WWW-Authenticate', 'Bearer').json({ status: 'unauthorized' });
  };
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

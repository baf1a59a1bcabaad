import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Callback } from '../../src/protocol/callback-endpoint.js';

/** What arrived, and whether its signature holds by the contract's rules, checked without the code under test. */
export interface Received {
  method: string;
  target: string;
  headers: Record<string, string[] | undefined>;
  body: string;
  authentic: boolean;
  message: { what: string; timestamp: string; sessionId: string; data: Record<string, unknown> };
  /** Milliseconds since the epoch. */
  at: number;
}

export interface Receiver {
  callback: Callback;
  received: Received[];
  /** Those whose signature holds. */
  authentic(): Received[];
  close(): Promise<void>;
}

export interface ReceiverOptions {
  secret?: string;
  brand?: string;
  path?: string;
  query?: string;
  method?: 'GET' | 'POST' | 'PUT';
  /** HTTP code of an authentic notification; default 200. `hang` never answers, `break` cuts the connection. */
  answer?: (received: Received, count: number) => number | 'hang' | 'break';
}

/** The receiving side as the contract describes it: 401 for what is not authentic. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { secret = 'sandbox-secret', brand = 'svc', path = '/callback', query, method = 'POST' } = options;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const headers = request.headersDistinct;
      const one = (name: string) => (headers[name]?.length === 1 ? headers[name][0] : undefined);
      const digest = createHash('sha256').update(body).digest('base64');
      const toSign = `${request.method}${request.url}${digest}${one('content-type')}${one(`x-${brand}-timestamp`)}`;
      const authentic =
        one(`x-${brand}-content-sha256`) === digest &&
        one('authorization') === `HMAC-SHA256 ${createHmac('sha256', secret).update(toSign).digest('base64')}`;
      const arrived: Received = {
        method: request.method ?? '',
        target: request.url ?? '',
        headers,
        body: body.toString('utf8'),
        authentic,
        message: body.length > 0 ? JSON.parse(body.toString('utf8')) : undefined,
        at: Date.now(),
      };
      received.push(arrived);
      const answer = authentic ? (options.answer?.(arrived, received.length) ?? 200) : 401;
      if (answer === 'break') request.socket.destroy();
      else if (answer !== 'hang') response.writeHead(answer, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    callback: { host: '127.0.0.1', port, path, method, ...(query === undefined ? {} : { query }) },
    received,
    authentic: () => received.filter((one) => one.authentic),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

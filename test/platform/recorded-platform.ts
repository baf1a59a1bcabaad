import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as it reached the server. */
export interface RecordedRequest {
  method: string;
  /** Path and query, byte for byte. */
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What the server does with one request. */
export type RecordedAnswer =
  | { http: number; type?: string; body?: string | Buffer; headers?: Record<string, string> }
  | 'reset'
  | 'hang'
  /** Headers and half of a JSON body, then nothing more. */
  | { stall: number }
  /** Headers and half of a JSON body, then a broken connection. */
  | { breakOff: number };

export interface RecordedPlatform {
  url: string;
  requests: RecordedRequest[];
  /** Resolves when the next request has come in. */
  arrival(): Promise<unknown>;
  /** Replaces what is answered: one after the other; a function is asked each time. */
  answers(...answers: RecordedAnswer[]): void;
  respond(answer: (request: RecordedRequest) => RecordedAnswer): void;
  /** Resolves when no client is connected any more. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

export function json(http: number, value: unknown): RecordedAnswer {
  return { http, type: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

export function playlist(body: string): RecordedAnswer {
  return { http: 200, type: 'application/vnd.apple.mpegurl; charset=utf-8', body };
}

/** A real HTTP server that answers as recorded; a request that nothing was recorded for breaks the connection. */
export async function startRecordedPlatform(): Promise<RecordedPlatform> {
  let respond: (request: RecordedRequest) => RecordedAnswer = () => 'reset';
  const arrivals = new EventEmitter();
  const requests: RecordedRequest[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('utf8');
    const recorded = { method: request.method ?? '', target: request.url ?? '', headers: request.headers, body };
    requests.push(recorded);
    const answer = respond(recorded);
    arrivals.emit('request');
    if (answer === 'reset') return void request.socket.resetAndDestroy();
    if (answer === 'hang') return;
    if ('stall' in answer || 'breakOff' in answer) {
      const http = 'stall' in answer ? answer.stall : answer.breakOff;
      response.writeHead(http, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"status":"ok","str', () => 'breakOff' in answer && request.socket.resetAndDestroy());
      return;
    }
    response.writeHead(answer.http, { ...(answer.type ? { 'content-type': answer.type } : {}), ...answer.headers });
    response.end(answer.body);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    arrival: () => once(arrivals, 'request'),
    answers: (...answers) => {
      respond = () => answers.shift() ?? 'reset';
    },
    respond: (answer) => {
      respond = answer;
    },
    disconnected: async () => {
      // Sooner than a connection that is kept alive ends by itself.
      const signal = AbortSignal.timeout(2000);
      await Promise.all([...sockets].map((socket) => once(socket, 'close', { signal })));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

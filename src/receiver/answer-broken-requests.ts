import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ANSWERS, type AnswerName, answerBody, RETRY_AFTER_S } from './answers.js';
import type { Connection, Connections } from './connections.js';

/** How long what a broken sender still sends is thrown away, so that it sees the answer instead of a reset, ms. */
const LINGER_MS = 2_000;
const REASONS: Partial<Record<number, string>> = { 405: 'Method Not Allowed', 503: 'Service Unavailable' };

/** What is known of a request that broke. */
export interface BrokenRequest {
  /** Node's code: `HPE_…`, `ERR_HTTP_REQUEST_TIMEOUT` … */
  code: string;
  remoteAddress: string | undefined;
  /** The request whose body broke; none where it broke before. */
  request: IncomingMessage | undefined;
  durationMs: number;
}

/**
 * Answers what never becomes a request, or stops being one: broken or oversized headers, a body that is not what was
 * announced, time-outs. Node would answer 400, 408 or 431, and the platform repeats a 5XX alone: hence 503.
 */
export function answerBrokenRequests(
  server: Server,
  connections: Connections,
  onBroken: (broken: BrokenRequest) => void,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.of(socket);
    if (connection?.broken) return;
    const silent = connection?.open.size === 0 && socket.bytesRead === connection.idleAtBytes;
    if (!connection || silent || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    connection.broken = true;
    const { remoteAddress } = socket;
    const unfinished = connection.latest?.request.complete === false ? connection.latest : undefined;
    afterEarlier(connection, unfinished?.response, () => {
      if (unfinished?.response.headersSent) {
        socket.destroy();
        return;
      }
      endWith(socket, 'malformed');
      const durationMs = unfinished ? performance.now() - unfinished.startedAt : 0;
      onBroken({ code: error.code ?? error.message, remoteAddress, request: unfinished?.request, durationMs });
    });
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    endWith(socket, 'method-not-allowed', 'Allow: GET, POST, PUT');
  });
}

/** Pipelined requests before the broken one are answered first, each in its turn. */
function afterEarlier(connection: Connection, broken: ServerResponse | undefined, then: () => void): void {
  const earlier = [...connection.open].filter((response) => response !== broken).at(-1);
  if (earlier) earlier.once('close', then);
  else then();
}

function endWith(socket: Socket, name: AnswerName, ...more: string[]): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = answerBody(name);
  const { http } = ANSWERS[name];
  const lines = [
    `HTTP/1.1 ${http} ${REASONS[http]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(http === 503 ? [`Retry-After: ${RETRY_AFTER_S}`] : []),
    ...more,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}

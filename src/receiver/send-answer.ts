import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ANSWERS, type AnswerFields, type AnswerName, answerBody, RETRY_AFTER_S } from './answers.js';

/** An unread rest up to this is let through, so that the connection can stay open, bytes. */
const SMALL_REST = 64 * 1024;
/** How long a rest is still taken off the wire, so that the sender sees the answer instead of a reset, ms. */
const LINGER_MS = 2_000;

export interface Answer extends AnswerFields {
  name: AnswerName;
  /** The methods that a 405 allows. */
  allow?: string;
}

/**
 * Writes an answer. Where much of the request is still unread, the connection is closed after it: the answer goes out at
 * once, and what the sender still sends is thrown away until it stops or its time is over.
 *
 * @returns false where nobody is there to read it any more
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  closeAfter: boolean,
): boolean {
  if (response.headersSent || response.destroyed || request.socket.destroyed) return false;
  const { name, allow, ...fields } = answer;
  const body = answerBody(name, fields);
  const rest = unreadRest(request);
  response.writeHead(ANSWERS[name].http, answerHeaders(name, body, { allow, close: closeAfter || rest > SMALL_REST }));
  if (rest <= SMALL_REST) {
    response.end(body);
    if (rest > 0) request.resume();
  } else {
    response.write(body);
    endAfterRest(request, response);
  }
  return true;
}

function answerHeaders(name: AnswerName, body: string, more: { allow?: string | undefined; close: boolean }) {
  const headers: OutgoingHttpHeaders = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    // A delivery may be a GET, and no cache in between may answer for us.
    'Cache-Control': 'no-store',
  };
  if (ANSWERS[name].http === 503) headers['Retry-After'] = RETRY_AFTER_S;
  if (more.allow !== undefined) headers.Allow = more.allow;
  if (more.close) headers.Connection = 'close';
  return headers;
}

/** Bytes that may still come of a request's body; more than it can be where that is not known. */
function unreadRest(request: IncomingMessage): number {
  if (request.complete) return 0;
  if (request.headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(request.headers['content-length'] ?? 0);
}

function endAfterRest(request: IncomingMessage, response: ServerResponse): void {
  const end = () => {
    clearTimeout(timer);
    request.off('end', end);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('end', end);
  response.on('close', () => clearTimeout(timer));
  request.resume();
}

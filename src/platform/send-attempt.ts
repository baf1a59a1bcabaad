import { type Dispatcher, request as send } from 'undici';
import type { Operation } from '../protocol/statuses.js';
import type { Failure } from './platform-error.js';

/** A request to the platform, ready to be sent any number of times. */
export interface PlatformRequest {
  operation: Operation;
  method: 'GET' | 'PUT';
  url: URL;
  headers: Record<string, string>;
  body?: string;
}

/** An answer of the platform, whatever it says. */
export interface Answer {
  http: number;
  /** Empty where there is none. */
  contentType: string;
  /** Undefined where it was longer than the limit. */
  body: Buffer | undefined;
}

export interface AttemptLimits {
  /** For connecting, sending and reading the whole answer, ms. */
  timeoutMs: number;
  /** Longest body of an answer that is read, bytes. */
  maxAnswerBytes: number;
  dispatcher: Dispatcher | undefined;
}

/** What undici says when one of its own time limits, which lie inside ours, was reached. */
const UNDICI_TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/**
 * Sends a request once. Redirects are not followed: they could lead credentials elsewhere.
 * Once an HTTP code above 299 has come, what happens to the body changes nothing: the code counts.
 *
 * @param signal the caller's
 */
export async function sendAttempt(
  request: PlatformRequest,
  limits: AttemptLimits,
  signal: AbortSignal | undefined,
): Promise<{ answer: Answer } | { failure: Failure }> {
  const { timeoutMs, maxAnswerBytes, dispatcher } = limits;
  const { method, url, headers, body } = request;
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  let answer: Answer | undefined;
  try {
    const response = await send(url, {
      method,
      headers,
      signal: controller.signal,
      ...(body === undefined ? {} : { body }),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    answer = {
      http: response.statusCode,
      contentType: String(response.headers['content-type'] ?? ''),
      body: undefined,
    };
    answer.body = await readLimited(response.body, maxAnswerBytes);
    return { answer };
  } catch (cause) {
    if (signal?.aborted) return { failure: aborted(request, signal) };
    if (answer && answer.http > 299) return { answer };
    const timedOut = controller.signal.aborted || UNDICI_TIMEOUTS.includes(errorCode(cause));
    const failure = timedOut ? timeout(request, timeoutMs, cause) : unreachable(request, cause);
    return { failure: { ...failure, http: answer?.http } };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** How a request is named in messages: without its query, which may hold a token. */
export function requestName({ method, url }: PlatformRequest): string {
  return `${method} ${url.origin}${url.pathname}`;
}

export function aborted(request: PlatformRequest, signal: AbortSignal): Failure {
  const message = `${requestName(request)} was aborted by the caller`;
  return { status: 'aborted', http: undefined, retry: 'never', message, cause: signal.reason };
}

async function readLimited(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop destroys the body, and with it the connection: nothing more is read.
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function timeout(request: PlatformRequest, timeoutMs: number, cause: unknown): Failure {
  const message = `${requestName(request)} was not answered in full within ${timeoutMs} ms`;
  return { status: 'timeout', http: undefined, retry: 'immediately-then-backoff', message, cause };
}

function unreachable(request: PlatformRequest, cause: unknown): Failure {
  const reason = errorCode(cause) || (cause instanceof Error ? cause.message : String(cause));
  const message = `${requestName(request)} got no whole answer: ${reason}`;
  return { status: 'unreachable', http: undefined, retry: 'immediately-then-backoff', message, cause };
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

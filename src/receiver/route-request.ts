import type { Request } from 'express';
import { ANSWERS } from './answers.js';
import type { ExchangeHandler } from './callback-handler.js';
import type { RequestLog } from './request-log.js';
import { originForm, pathOf } from './request-target.js';
import { type Answer, sendAnswer } from './send-answer.js';

const HEALTH_PATH = '/healthz';

/**
 * Sends a request to where its path belongs: the callback, the health check, or nowhere. The path counts as it came,
 * letter for letter: what is routed leniently would be verified as something else than was signed.
 */
export function createRequestRouter(options: {
  callbackPath: string;
  callback: ExchangeHandler;
  record: RequestLog;
  isStopping(): boolean;
  /** Whether the answer to this request closes its connection. */
  closesAfter(request: Request): boolean;
}): ExchangeHandler {
  const { callbackPath, callback, record, isStopping, closesAfter } = options;
  return async (request, response) => {
    const startedAt = performance.now();
    const path = pathOf(originForm(request.originalUrl));
    if (path === callbackPath) return callback(request, response);
    const answer = otherAnswer(request, path, isStopping());
    sendAnswer(request, response, answer, closesAfter(request));
    const { method } = request;
    const status = ANSWERS[answer.name].http;
    record({ method, path, outcome: answer.name, status, durationMs: performance.now() - startedAt });
  };
}

function otherAnswer(request: Request, path: string, stopping: boolean): Answer {
  if (stopping) return { name: 'stopping' };
  if (path !== HEALTH_PATH) return { name: 'not-found' };
  if (request.method !== 'GET' && request.method !== 'HEAD') return { name: 'method-not-allowed', allow: 'GET, HEAD' };
  return { name: 'healthy' };
}

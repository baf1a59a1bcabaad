import type { Request, Response } from 'express';
import { ANSWERS } from './answers.js';
import type { RequestLog } from './request-log.js';
import { originForm, pathOf } from './request-target.js';
import { sendAnswer } from './send-answer.js';

/** Answers an error that nobody foresaw: 503, because the platform does not repeat a 4XX, and the log says what it was. */
export function answerError(error: unknown, request: Request, response: Response, record: RequestLog): void {
  const sent = sendAnswer(request, response, { name: 'unavailable' }, true);
  if (!sent) request.socket.destroy();
  const { method } = request;
  const path = pathOf(originForm(request.originalUrl));
  record({
    method,
    path,
    outcome: 'unavailable',
    status: sent ? ANSWERS.unavailable.http : 0,
    durationMs: 0,
    error,
  });
}

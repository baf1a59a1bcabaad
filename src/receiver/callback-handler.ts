import type { Request, Response } from 'express';
import { ANSWERS, type AnswerName } from './answers.js';
import { type Received, type ReceiveOptions, receiveNotification } from './receive-notification.js';
import type { RejectionLog } from './rejection-log.js';
import type { RequestLog, RequestRecord } from './request-log.js';
import { originForm, pathOf } from './request-target.js';
import { type Answer, sendAnswer } from './send-answer.js';

/** The methods that a callback may be registered with (contract: "Callback object"). */
const CALLBACK_METHODS: readonly string[] = ['GET', 'POST', 'PUT'];

export interface CallbackHandlerOptions {
  receive: ReceiveOptions;
  rejections: RejectionLog;
  record: RequestLog;
  /** While true, new requests are turned away. */
  isStopping(): boolean;
  /** Whether the answer to this request closes its connection. */
  closesAfter(request: Request): boolean;
  /** Whether a broken request was answered already, beside this handler. */
  isAnswered(request: Request): boolean;
}

export type ExchangeHandler = (request: Request, response: Response) => Promise<void>;

type Found = Received | { outcome: 'stopping' | 'method-not-allowed'; bytes: 0 };

/** Puts what became of a callback into HTTP: one answer, one line in the log, one entry for each rejection. */
export function createCallbackHandler(options: CallbackHandlerOptions): ExchangeHandler {
  const { receive, rejections, record, isStopping, closesAfter, isAnswered } = options;
  return async (request, response) => {
    const startedAt = performance.now();
    const receivedAt = Date.now();
    const target = originForm(request.originalUrl);
    const found = turnedAway(request, isStopping()) ?? (await receiveNotification(request, target, receive));
    const answer = answerTo(found);
    const rejection = rejectionOf(found, receive.bodyLimitBytes);
    const { method, socket } = request;
    const path = pathOf(target);
    const about = { method, path, bytes: found.bytes, durationMs: performance.now() - startedAt };
    if (!answer) {
      if (!isAnswered(request)) record({ ...about, outcome: 'aborted', status: 0 });
      return;
    }
    const sent = sendAnswer(request, response, answer, closesAfter(request));
    if (rejection) {
      const { bytes } = found;
      rejections.record({ ...rejection, method, path, remoteAddress: socket.remoteAddress, receivedAt, bytes });
    }
    const status = ANSWERS[answer.name].http;
    record({ ...about, ...detailsOf(found), outcome: answer.name, status, senderGone: sent ? undefined : true });
  };
}

function turnedAway(request: Request, stopping: boolean): Found | undefined {
  if (stopping) return { outcome: 'stopping', bytes: 0 };
  if (!CALLBACK_METHODS.includes(request.method)) return { outcome: 'method-not-allowed', bytes: 0 };
  return undefined;
}

/** The answer to what was found; none where the sender is gone. */
function answerTo(found: Found): Answer | undefined {
  switch (found.outcome) {
    case 'accepted':
      return { name: 'accepted', id: found.id };
    case 'duplicate':
      return { name: 'duplicate', id: found.id, duplicate: true };
    case 'invalid':
      return { name: 'invalid', message: found.problem };
    case 'method-not-allowed':
      return { name: 'method-not-allowed', allow: CALLBACK_METHODS.join(', ') };
    case 'unread':
      return found.why === 'aborted' ? undefined : { name: UNREAD_ANSWERS[found.why] };
    default:
      return { name: found.outcome };
  }
}

const UNREAD_ANSWERS = {
  'too-large': 'too-large',
  overloaded: 'overloaded',
  consumed: 'unavailable',
} as const satisfies Record<string, AnswerName>;

function rejectionOf(found: Found, limitBytes: number) {
  if (found.outcome === 'unauthorized') return { reason: found.reason, detail: found.detail };
  if (found.outcome === 'unread' && found.why === 'too-large') {
    return { reason: 'payload-too-large' as const, detail: `the body is larger than ${limitBytes} bytes` };
  }
  return undefined;
}

function detailsOf(found: Found): Partial<RequestRecord> {
  switch (found.outcome) {
    case 'accepted':
    case 'duplicate':
      return { id: found.id, kind: found.kind, stream: found.stream, deviations: found.deviations };
    case 'unavailable':
      return { kind: found.kind, stream: found.stream, error: found.error };
    case 'invalid':
      return { problem: found.problem };
    case 'unread':
      return found.why === 'consumed' ? { error: new Error(CONSUMED) } : {};
    default:
      return {};
  }
}

const CONSUMED =
  'the body was read before Sluice saw it, so its signature cannot be verified: ' +
  'put Sluice in front of express.json() and every other middleware that reads bodies';

import { setTimeout as realPause } from 'node:timers/promises';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Operation } from '../../protocol/statuses.js';
import { Refusal } from '../operations/refusal.js';
import { type PreparedAnswers, type RawAnswer, readRequestedAnswer } from './prepared-answers.js';

/** Bodies larger than this are answered 413. */
const BODY_LIMIT = '1mb';
/** By this header a client tells the sandbox from what else may listen on its port. */
export const SERVER_NAME = 'sluice-sandbox';

/** What an operation answers: JSON, or a text of another type. */
export type OperationAnswer = { json: object } | { type: string; text: string };

/** An Express app without its habits: exact paths, bodies as text, errors as the contract's JSON. */
export function createHttpApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.use((_request, response, next) => {
    response.set('Server', SERVER_NAME);
    next();
  });
  app.use(express.text({ type: () => true, limit: BODY_LIMIT }));
  return app;
}

/** Runs an operation of the contract, unless another answer was prepared or the request asks for one. */
export function operation(
  name: Operation,
  prepared: PreparedAnswers,
  run: (request: Request) => OperationAnswer,
): RequestHandler {
  return async (request, response) => {
    const other = requestedAnswer(request, name) ?? prepared.take(name);
    if (other) {
      // Whoever closes the sandbox meanwhile is not kept waiting.
      if (other.delayMs > 0) await realPause(other.delayMs, undefined, { ref: false });
      response.writeHead(other.http, { 'Content-Type': other.contentType }).end(other.body);
      return;
    }
    send(response, run(request));
  };
}

export function send(response: Response, answer: OperationAnswer): void {
  if ('json' in answer) response.status(200).json(answer.json);
  else response.status(200).set('Content-Type', answer.type).end(answer.text);
}

/** The body as text; an empty one where there is none. */
export function bodyOf(request: Request): string {
  return typeof request.body === 'string' ? request.body : '';
}

/** Query of a request as it was sent: Express reads brackets and repeated names in a way of its own. */
export function queryOf(request: Request): URLSearchParams {
  const start = request.originalUrl.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : request.originalUrl.slice(start + 1));
}

function requestedAnswer(request: Request, name: Operation): RawAnswer | undefined {
  const asked = request.get('X-Sandbox-Answer') ?? queryOf(request).get('sandboxAnswer') ?? undefined;
  if (asked === undefined) return undefined;
  const answer = readRequestedAnswer(asked, name);
  if (answer) return answer;
  throw new Refusal(400, 'invalid-answer', `expected an answer such as "503", "503 capacity" or "503 not-json"`);
}

/** Answers for paths that do not exist, and for what was thrown. */
export function endHttpApp(app: Express): void {
  app.use((request) => {
    throw new Refusal(404, 'not-found', `there is nothing at ${request.method} ${request.path}`);
  });
  app.use(((error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const { http, status, message } = asRefusal(error);
    if (http === 401) response.set('WWW-Authenticate', 'Basic realm="sandbox", Bearer realm="sandbox"');
    response.status(http).json({ status, message });
  }) satisfies ErrorRequestHandler);
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  const http = error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 500;
  if (http === 413) return new Refusal(413, 'payload-too-large', `the body is larger than ${BODY_LIMIT}`);
  return http >= 400 && http < 500
    ? new Refusal(400, 'bad-request', message)
    : new Refusal(500, 'internal-error', message);
}

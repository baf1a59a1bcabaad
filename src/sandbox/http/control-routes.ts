import type { Express, Request } from 'express';
import { z } from 'zod';
import type { Delivery } from '../delivery/delivery.js';
import { Refusal } from '../operations/refusal.js';
import type { Sandbox } from '../sandbox.js';
import { bodyOf } from './http-app.js';

const streamSchema = z.strictObject({
  tags: z.array(z.string()).optional(),
  capabilities: z.array(z.string()).optional(),
  durationMs: z.number().min(0).optional(),
  reason: z.string().optional(),
  sessionId: z.string().min(1).optional(),
  uri: z.string().optional(),
});
const endSchema = z.strictObject({ reason: z.string().default('') });
const notificationSchema = z.strictObject({ what: z.string().min(1), data: z.looseObject({}).default({}) });
const tokenSchema = z.strictObject({
  capabilities: z.array(z.string()).optional(),
  type: z.enum(['auth', 'stream', 'publish']).optional(),
  expiresInMs: z.number().optional(),
  sessionId: z.string().optional(),
  remoteAddress: z.string().optional(),
  originStreamId: z.string().optional(),
  requiredTag: z.string().optional(),
  applyTags: z.array(z.string()).optional(),
});

/** How many deliveries are shown unless asked otherwise. */
const SHOWN = 100;

/**
 * The sandbox's own API, under `/sandbox`: JSON, whatever the content type; errors as `{status, message}`. It is for the
 * machine it runs on, and asks for no credentials.
 */
export function addControlRoutes(app: Express, sandbox: Sandbox): void {
  app.get('/sandbox', (_request, response) => void response.json(sandbox.info()));
  app.get('/sandbox/streams', (_request, response) => void response.json(sandbox.streams()));
  app.post('/sandbox/streams', (request, response) => {
    response.json(sandbox.publish(read(request, streamSchema)));
  });
  app.post('/sandbox/streams/:streamId/end', (request, response) => {
    response.json(sandbox.endStream(request.params.streamId, read(request, endSchema).reason));
  });
  app.post('/sandbox/streams/:streamId/notifications', (request, response) => {
    const { what, data } = read(request, notificationSchema);
    sandbox.emit(request.params.streamId, what, data);
    response.json({ status: 'ok' });
  });
  app.get('/sandbox/deliveries', ({ query }, response) => {
    const wanted = (delivery: Delivery) =>
      (query.state === undefined || delivery.state === query.state) &&
      (query.stream === undefined || delivery.streamId === query.stream) &&
      (query.what === undefined || delivery.what === query.what);
    const limit = query.limit === undefined ? SHOWN : Number(query.limit);
    if (!Number.isInteger(limit) || limit < 1) throw new Refusal(400, 'bad-request', 'limit: expected 1 or more');
    response.json(sandbox.deliveries().filter(wanted).slice(-limit));
  });
  app.get('/sandbox/answers', (_request, response) => void response.json(sandbox.preparedAnswers()));
  app.post('/sandbox/answers', (request, response) => {
    response.json(typeErrorsRefused(() => sandbox.answerNext(readJson(request) as never)));
  });
  app.delete('/sandbox/answers', (_request, response) => {
    sandbox.clearAnswers();
    response.json({ status: 'ok' });
  });
  app.post('/sandbox/tokens', (request, response) => {
    const options = read(request, tokenSchema);
    response.json({ token: typeErrorsRefused(() => sandbox.createToken(options)) });
  });
  app.post('/sandbox/recorder', (request, response) => {
    response.json({ status: 'ok', recorded: typeErrorsRefused(() => sandbox.record(readJson(request))) });
  });
  app.get('/sandbox/report', (_request, response) => void response.json(sandbox.report()));
}

function read<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  const result = schema.safeParse(readJson(request));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new Refusal(400, 'bad-request', `${issue?.path.join('.') || 'body'}: ${issue?.message}`);
}

/** An empty body is an empty object. */
function readJson(request: Request): unknown {
  const body = bodyOf(request);
  if (body === '') return {};
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'invalid-json', 'the body is not JSON');
  }
}

/** What was given is checked by those who take it; over HTTP their TypeErrors are the caller's mistake. */
function typeErrorsRefused<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal(400, 'bad-request', error.message);
    throw error;
  }
}

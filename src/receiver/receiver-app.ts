import type { RequestListener } from 'node:http';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { answerError } from './answer-error.js';
import type { ExchangeHandler } from './callback-handler.js';
import type { RequestLog } from './request-log.js';

/** The Express app around a handler of every request: no parser of queries or bodies, no ETag, no page of its own. */
export function createReceiverApp(handle: ExchangeHandler, record: RequestLog): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use((request, response) => handle(request, response));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    answerError(error, request, response, record),
  );
  return app;
}

/** The app as a server's listener, which also sees what Express itself gives up on. */
export function receiverListener(app: Express, handle: ExchangeHandler, record: RequestLog): RequestListener {
  return (plainRequest, plainResponse) => {
    const request = plainRequest as Request;
    const response = plainResponse as Response;
    const giveUp = (error?: unknown) => {
      if (error) answerError(error, request, response, record);
      // A target that Express cannot parse may still be ours: routing goes by the raw path.
      else handle(request, response).catch((failure) => answerError(failure, request, response, record));
    };
    (app as RequestHandler)(request, response, giveUp);
  };
}

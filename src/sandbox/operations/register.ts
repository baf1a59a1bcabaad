import { z } from 'zod';
import {
  type Callback,
  callbackSchema,
  formatCallback,
  type ResolvedCallback,
  resolveCallback,
} from '../../protocol/callback-endpoint.js';
import { type Application, authorizeCredentials } from './authorize.js';
import { callbackProblem } from './callback-problem.js';
import { readJsonObject } from './read-json-object.js';
import { Refusal } from './refusal.js';

/** The deprecated way; its structure is not shown in the contract, this one is the sandbox's choice. */
const credentialsSchema = z.object({ applicationId: z.string(), secret: z.string() });

export interface RegisterRequest {
  applicationId: string;
  authorization: string | undefined;
  contentType: string | undefined;
  body: string;
}

/**
 * Registers the notification endpoint (contract: "Register notification endpoint").
 *
 * @throws Refusal 401, or 400 for a body that it cannot take
 */
export function register(
  application: Application,
  request: RegisterRequest,
): { callback: ResolvedCallback; answer: { status: 'ok'; endpoint: string } } {
  const { applicationId, authorization } = request;
  if (authorization !== undefined) authorizeCredentials(application, applicationId, readBasic(authorization));
  const body = readJsonObject(request);
  if (authorization === undefined) {
    const credentials = credentialsSchema.safeParse(body.credentials);
    authorizeCredentials(application, applicationId, credentials.data);
  }
  const callback = resolveCallback(readCallback(body.callback));
  return { callback, answer: { status: 'ok', endpoint: formatCallback(callback) } };
}

function readCallback(callback: unknown): Callback {
  if (typeof callback !== 'object' || callback === null) {
    throw new Refusal(400, 'missing-callback', 'callback: expected an object');
  }
  if (!('host' in callback) || callback.host === '') {
    throw new Refusal(400, 'missing-host', 'callback.host: expected the host that receives notifications');
  }
  const problem = callbackProblem(callback);
  if (problem !== undefined) throw new Refusal(400, 'invalid-callback', problem);
  return callbackSchema.parse(callback);
}

function readBasic(authorization: string): Application | undefined {
  const base64 = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (base64 === undefined) return undefined;
  const pair = Buffer.from(base64, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : { applicationId: pair.slice(0, colon), secret: pair.slice(colon + 1) };
}

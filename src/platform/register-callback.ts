import { z } from 'zod';
import { type Callback, callbackSchema, parseCallback, type ResolvedCallback } from '../protocol/callback-endpoint.js';
import { type Application, type CallOptions, operationUrl, problemsOf } from './application.js';
import { callPlatform } from './call-platform.js';
import { invalidRequest, type PlatformResult } from './platform-error.js';

export interface RegisterOptions extends CallOptions {
  /**
   * `header`: Basic authentication (default). `body`: the field `credentials` of the body, deprecated by the contract,
   * and then no header.
   */
  credentials?: 'header' | 'body' | undefined;
}

export interface Registration {
  /** `<METHOD> <protocol>://<host>:<port><path>?<query>`, as the platform resolved it. */
  endpoint: string;
  /** The same taken apart; undefined where it has another form. */
  resolved: ResolvedCallback | undefined;
}

const inputSchema = z.object({
  callback: z.strictObject({
    ...callbackSchema.shape,
    host: z.string().regex(/^(?:[^\s/:?#@[\]]+|\[[0-9a-f:.]+\])$/i, {
      error: 'expected a host name or address alone: scheme, port and path have fields of their own',
    }),
    path: z
      .string()
      .regex(/^\/[^\s?#]*$/, { error: 'expected to start with `/` and to hold no blank, `?` or `#`' })
      .optional(),
    query: z
      .string()
      .regex(/^(?!\?)[^\s#]*$/, { error: 'expected name=value pairs without the `?`, blanks or `#`' })
      .optional(),
  }),
  credentials: z.enum(['header', 'body']).default('header'),
});

const answerSchema = z.object({ endpoint: z.string().min(1) });

/** Registers the endpoint that notifications go to (contract: "Register notification endpoint"). Fields left out take the platform's defaults. */
export async function registerCallback(
  application: Application,
  callback: Callback,
  options: RegisterOptions = {},
): Promise<PlatformResult<Registration>> {
  const { applicationId, secret } = application;
  const input = inputSchema.safeParse({ callback, credentials: options.credentials });
  const problems = input.success ? [] : problemsOf(input.error);
  if (secret === undefined) problems.push('secret: expected when the client is made; registering needs it');
  if (options.credentials !== 'body' && applicationId.includes(':')) {
    problems.push('applicationId: expected no colon, which Basic authentication cannot carry');
  }
  if (!input.success || problems.length > 0) return invalidRequest(problems);
  const { data } = input;
  const basic = Buffer.from(`${applicationId}:${secret}`, 'utf8').toString('base64');
  const inBody = data.credentials === 'body';
  return callPlatform(
    application.connection,
    {
      operation: 'register',
      method: 'PUT',
      url: operationUrl(application, 'application', applicationId, 'callback'),
      headers: {
        ...(inBody ? {} : { authorization: `Basic ${basic}` }),
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({
        callback: data.callback,
        ...(inBody ? { credentials: { applicationId, secret } } : {}),
      }),
    },
    ({ json }) => {
      const answer = answerSchema.safeParse(json);
      if (!answer.success) return { problem: 'names no endpoint' };
      const { endpoint } = answer.data;
      return { result: { endpoint, resolved: parseCallback(endpoint) } };
    },
    options.signal,
  );
}

import { z } from 'zod';
import { type Application, type CallOptions, operationUrl, problemsOf, tokenSchema } from './application.js';
import { callPlatform } from './call-platform.js';
import { invalidRequest, type PlatformResult } from './platform-error.js';
import { type IngestedStream, readIngestedStream } from './stream-answer.js';

export interface RestreamInput {
  /** `rtmp://<host>/<app>/<stream_key>`. The key in it is a secret. */
  destination: string;
  /** The contract names the field both ways; default `uri`. */
  field?: 'uri' | 'data' | 'both' | undefined;
  /** Default, and all that is supported: `rtmp`. */
  protocol?: 'rtmp' | undefined;
  /** Edge token of type `stream` with the capability `egress`; default: the client's. */
  token?: string | undefined;
}

/**
 * Relays a stream to an external RTMP endpoint (contract: "Restream to an external endpoint", beta). As with publishing,
 * an attempt that broke off may have been carried out.
 */
export async function restream(
  application: Application,
  input: RestreamInput,
  options: CallOptions = {},
): Promise<PlatformResult<IngestedStream>> {
  const schema = z.strictObject({
    destination: z
      .string()
      .regex(/^rtmp:\/\/[^\s/]+\/[^\s/]+\/\S+$/i, { error: 'expected rtmp://<host>/<app>/<stream_key>' }),
    field: z.enum(['uri', 'data', 'both']).default('uri'),
    protocol: z.literal('rtmp').default('rtmp'),
    token: tokenSchema(application),
  });
  const parsed = schema.safeParse(input);
  if (!parsed.success) return invalidRequest(problemsOf(parsed.error));
  const { destination, field, protocol, token } = parsed.data;
  return callPlatform(
    application.connection,
    {
      operation: 'restream',
      method: 'PUT',
      url: operationUrl(application, application.applicationId, 'stream', 'egress', 'uri', protocol),
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({
        ...(field === 'data' ? {} : { uri: destination }),
        ...(field === 'uri' ? {} : { data: destination }),
      }),
    },
    readIngestedStream,
    options.signal,
  );
}

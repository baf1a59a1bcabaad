import { z } from 'zod';
import { type Application, type CallOptions, operationUrl, problemsOf, tokenSchema } from './application.js';
import { callPlatform } from './call-platform.js';
import { invalidRequest, type PlatformResult } from './platform-error.js';
import { type IngestedStream, readIngestedStream } from './stream-answer.js';

/** What a URI to publish can be. */
export const PUBLISH_TYPES = ['mp4', 'm3u8', 'udp', 'srt', 'rtsp'] as const;
export type PublishType = (typeof PUBLISH_TYPES)[number];

export interface PublishInput {
  type: PublishType;
  /** Such as `srt://<host>:<port>`. */
  uri: string;
  /** Edge token with the capability `publish-uri`; default: the client's. */
  token?: string | undefined;
  /** Reserved by the contract; left out unless given. */
  options?: unknown[] | undefined;
}

/**
 * Publishes a stream from a remote URI (contract: "Publish a URI"). An attempt that broke off may have published all the
 * same, and the next one then publishes again: `maxAttempts: 1` where that must not be.
 */
export async function publishUri(
  application: Application,
  input: PublishInput,
  options: CallOptions = {},
): Promise<PlatformResult<IngestedStream>> {
  const schema = z.strictObject({
    type: z.enum(PUBLISH_TYPES),
    uri: z.string().regex(/^[a-z][a-z0-9+.-]*:\S+$/i, { error: 'expected an absolute URI, such as srt://host:port' }),
    token: tokenSchema(application),
    options: z.array(z.unknown()).optional(),
  });
  const parsed = schema.safeParse(input);
  if (!parsed.success) return invalidRequest(problemsOf(parsed.error));
  const { type, token, ...body } = parsed.data;
  return callPlatform(
    application.connection,
    {
      operation: 'publish',
      method: 'PUT',
      url: operationUrl(application, application.applicationId, 'stream', 'publish', 'uri', type),
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
    readIngestedStream,
    options.signal,
  );
}

import type { StreamRequest } from '../streams/stream.js';
import { type Application, authorizeToken, type Bearer, TOKEN_DEMANDS } from './authorize.js';
import { readJsonObject } from './read-json-object.js';
import { readOptions } from './read-options.js';
import { Refusal } from './refusal.js';

/** Schemes from which each type of source can be fetched. */
const SCHEMES: Record<string, readonly string[]> = {
  mp4: ['http', 'https'],
  m3u8: ['http', 'https'],
  udp: ['udp'],
  srt: ['srt'],
  rtsp: ['rtsp', 'rtsps'],
};

export interface PublishRequest extends Bearer {
  type: string;
  contentType: string | undefined;
  body: string;
}

/**
 * Checks a request to publish a URI (contract: "Publish a URI") and says what to publish: with the tags that the token
 * applies, and the token's other capabilities.
 *
 * @throws Refusal 401, 409 `conflicting-capability`, 415 `invalid-source-uri`, or 400
 */
export function readPublishing(
  application: Application,
  ingestCapabilities: readonly string[],
  request: PublishRequest,
): StreamRequest {
  const claims = authorizeToken(application, request, TOKEN_DEMANDS.publish);
  const capabilities = [...new Set(claims.capabilities)];
  const ingest = capabilities.filter((capability) => ingestCapabilities.includes(capability));
  if (ingest.length > 1) {
    const message = `the token has more than one ingest capability: ${ingest.join(', ')}`;
    throw new Refusal(409, 'conflicting-capability', message);
  }
  const schemes = Object.hasOwn(SCHEMES, request.type) ? SCHEMES[request.type] : undefined;
  if (!schemes) {
    const expected = Object.keys(SCHEMES).join(', ');
    throw new Refusal(400, 'unsupported-type', `there is no type "${request.type}"; there are ${expected}`);
  }
  const body = readJsonObject(request);
  readOptions(body);
  return {
    uri: readSourceUri(body.uri, schemes),
    tags: claims.applyTags,
    capabilities: capabilities.filter((capability) => capability !== TOKEN_DEMANDS.publish.capability),
    sessionId: claims.sessionId,
  };
}

function readSourceUri(uri: unknown, schemes: readonly string[]): string {
  if (typeof uri !== 'string') throw new Refusal(400, 'missing-uri', 'uri: expected the URI to publish, a string');
  const parsed = URL.canParse(uri) ? new URL(uri) : undefined;
  if (!parsed || parsed.hostname === '' || !schemes.includes(parsed.protocol.slice(0, -1))) {
    const expected = schemes.map((scheme) => `${scheme}://<host>…`).join(' or ');
    throw new Refusal(415, 'invalid-source-uri', `uri: expected ${expected}`);
  }
  return uri;
}

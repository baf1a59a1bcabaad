import type { Stream } from '../streams/stream.js';
import { type Application, authorizeToken, type Bearer, TOKEN_DEMANDS } from './authorize.js';
import { findSource } from './find-source.js';
import { readJsonObject } from './read-json-object.js';
import { readOptions } from './read-options.js';
import { Refusal } from './refusal.js';

export interface RestreamRequest extends Bearer {
  protocol: string;
  contentType: string | undefined;
  body: string;
}

/** `rtmp://<host>/<app>/<stream_key>`. */
const DESTINATION = /^rtmp:\/\/[^/\s]+\/[^/\s]+\/\S+$/i;

/**
 * The live stream that a request wants relayed (contract: "Restream to an external endpoint"). Nothing is sent to the
 * destination.
 *
 * @throws Refusal 401, 415 `requires-streaming`, 404 where there is no such stream, or 400
 */
export function readRestreaming(application: Application, streams: Stream[], request: RestreamRequest): Stream {
  const claims = authorizeToken(application, request, TOKEN_DEMANDS.restream);
  if (request.protocol !== 'rtmp') {
    throw new Refusal(400, 'unsupported-protocol', `there is no protocol "${request.protocol}"; there is rtmp`);
  }
  const body = readJsonObject(request);
  readOptions(body);
  // The contract's example names the field `uri`, its table `data`.
  const destination = body.uri ?? body.data;
  if (typeof destination !== 'string' || !DESTINATION.test(destination)) {
    throw new Refusal(400, 'invalid-destination', 'uri: expected rtmp://<host>/<app>/<stream_key>');
  }
  const source = findSource(
    streams.filter((stream) => !stream.end),
    claims,
  );
  if (!source.capabilities.includes('streaming')) {
    const message = `${source.streamId} was published without the capability streaming`;
    throw new Refusal(415, 'requires-streaming', message);
  }
  return source;
}

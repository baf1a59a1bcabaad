import type { EdgeTokenClaims } from '../../protocol/edge-token.js';
import type { Stream } from '../streams/stream.js';
import { Refusal } from './refusal.js';

/**
 * The stream that a token is about: the one it names (`originStreamId`), the newest with the tag it asks for
 * (`requiredTag`), and the newest of all where it says neither. The contract does not tell how a source is chosen.
 *
 * @throws Refusal 404
 */
export function findSource(streams: readonly Stream[], claims: EdgeTokenClaims): Stream {
  const { originStreamId, requiredTag } = claims;
  const source = streams.findLast(
    (stream) =>
      (originStreamId === undefined || stream.streamId === originStreamId) &&
      (requiredTag === undefined || stream.tags.includes(requiredTag)),
  );
  if (!source) {
    const wanted = [
      ...(originStreamId === undefined ? [] : [` "${originStreamId}"`]),
      ...(requiredTag === undefined ? [] : [` with the tag "${requiredTag}"`]),
    ].join('');
    throw new Refusal(404, 'stream-not-found', `there is no stream${wanted}`);
  }
  return source;
}

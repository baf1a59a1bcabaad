import { SEGMENT_MS, type Segment } from './media.js';
import type { Quality } from './qualities.js';

export const HLS_TYPE = 'application/vnd.apple.mpegurl; charset=utf-8';

/**
 * The primary manifest (contract: "Fetch a replay manifest"): for each quality its attributes and a relative reference.
 *
 * @param query given to each reference
 */
export function renderPrimaryManifest(qualities: readonly Quality[], query: URLSearchParams): string {
  const suffix = query.size > 0 ? `?${query}` : '';
  const variants = qualities.flatMap((quality) => [
    `#EXT-X-STREAM-INF:${[
      'PROGRAM-ID=1',
      `RESOLUTION=${quality.width}x${quality.height}`,
      `CODECS="${quality.codecs}"`,
      `BANDWIDTH=${quality.bandwidth}`,
      `AVERAGE-BANDWIDTH=${quality.averageBandwidth}`,
      `FRAME-RATE=${quality.frameRate.toFixed(3)}`,
    ].join(',')}`,
    `${quality.name}.m3u8${suffix}`,
  ]);
  return lines(['#EXTM3U', ...variants]);
}

/**
 * The manifest of one quality (RFC 8216).
 *
 * @param segmentUri where a segment is
 * @param complete whether no more will come: a player need not ask again
 */
export function renderQualityManifest(
  segments: readonly Segment[],
  segmentUri: (segment: Segment) => string,
  complete: boolean,
): string {
  const [first] = segments;
  return lines([
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    `#EXT-X-TARGETDURATION:${SEGMENT_MS / 1000}`,
    `#EXT-X-MEDIA-SEQUENCE:${first?.number ?? 0}`,
    ...(complete ? ['#EXT-X-PLAYLIST-TYPE:VOD'] : []),
    ...(first ? [`#EXT-X-PROGRAM-DATE-TIME:${new Date(first.startsAt).toISOString()}`] : []),
    ...segments.flatMap((segment) => [`#EXTINF:${(segment.durationMs / 1000).toFixed(3)},`, segmentUri(segment)]),
    ...(complete ? ['#EXT-X-ENDLIST'] : []),
  ]);
}

function lines(all: string[]): string {
  return `${all.join('\n')}\n`;
}

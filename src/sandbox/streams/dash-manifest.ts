import { SEGMENT_MS } from './media.js';
import type { Quality } from './qualities.js';

export const DASH_TYPE = 'application/dash+xml; charset=utf-8';

export interface DashStream {
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  live: boolean;
}

/**
 * A media presentation description (ISO/IEC 23009-1) with one representation for each quality.
 *
 * @param segmentUri template of a segment's address, with `$RepresentationID$` and `$Number$`
 */
export function renderDashManifest(stream: DashStream, qualities: readonly Quality[], segmentUri: string): string {
  const seconds = (stream.durationMs / 1000).toFixed(3);
  const timing = stream.live
    ? `type="dynamic" availabilityStartTime="${new Date(stream.startedAt).toISOString()}" minimumUpdatePeriod="PT2S"`
    : `type="static" mediaPresentationDuration="PT${seconds}S"`;
  const representations = qualities.map(
    ({ name, width, height, codecs, averageBandwidth, frameRate }) =>
      `      <Representation id="${name}" bandwidth="${averageBandwidth}" codecs="${codecs}" width="${width}" height="${height}" frameRate="${frameRate}"/>`,
  );
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" minBufferTime="PT2S" ${timing}>`,
    '  <Period id="0" start="PT0S">',
    '    <AdaptationSet mimeType="video/mp2t" segmentAlignment="true">',
    `      <SegmentTemplate timescale="1000" duration="${SEGMENT_MS}" startNumber="0" media="${escapeXml(segmentUri)}"/>`,
    ...representations,
    '    </AdaptationSet>',
    '  </Period>',
    '</MPD>',
  ].join('\n')}\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

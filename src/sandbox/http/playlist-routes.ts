import type { Express } from 'express';
import type { PlatformClock } from '../clock/platform-clock.js';
import { Refusal } from '../operations/refusal.js';
import { DASH_TYPE, renderDashManifest } from '../streams/dash-manifest.js';
import { HLS_TYPE, renderPrimaryManifest, renderQualityManifest } from '../streams/hls-manifest.js';
import { mediaBetween, type Segment } from '../streams/media.js';
import { type Playlist, PRIMARY, type Quality } from '../streams/qualities.js';
import { durationMs, type Stream } from '../streams/stream.js';
import type { Streams } from '../streams/streams.js';
import { type OperationAnswer, send } from './http-app.js';

/** A live playlist shows the newest segments alone. */
const LIVE_SEGMENTS = 6;

/** Where a stream's playlists and their media are. */
export interface PlaylistUris {
  playlist(stream: Stream, mode: 'live' | 'on-demand', playlist: Playlist): string;
  segment(stream: Stream, quality: string, segment: Pick<Segment, 'number'> | '$Number$'): string;
}

/** @param baseUrl of the sandbox; asked for when it is needed, since the port is known only then */
export function createPlaylistUris(baseUrl: () => string): PlaylistUris {
  const root = (part: string, stream: Stream) => `${baseUrl()}/sandbox/${part}/${encodeURIComponent(stream.streamId)}`;
  return {
    playlist: (stream, mode, { manifest, format }) => `${root('playlists', stream)}/${mode}/${manifest}.${format}`,
    segment: (stream, quality, segment) =>
      `${root('media', stream)}/${quality}/${segment === '$Number$' ? segment : segment.number}.ts`,
  };
}

export interface PlaylistSources {
  streams: Streams;
  clock: PlatformClock;
  qualities: readonly Quality[];
  uris: PlaylistUris;
}

/** The playlists that `live` and `on-demand` notifications name. There is no media behind them. */
export function addPlaylistRoutes(app: Express, sources: PlaylistSources): void {
  const { streams, clock, qualities, uris } = sources;

  function render(stream: Stream, mode: string, file: string): OperationAnswer | undefined {
    const [manifest, format] = file.split('.');
    const quality = qualities.find(({ name }) => name === manifest);
    if (!quality && manifest !== PRIMARY) return undefined;
    const lengthMs = durationMs(stream, clock.now());
    const live = mode === 'live' && !stream.end;
    if (format === 'mpd') {
      const template = uris.segment(stream, '$RepresentationID$', '$Number$');
      const { startedAt } = stream;
      const shown = quality ? [quality] : qualities;
      return { type: DASH_TYPE, text: renderDashManifest({ startedAt, durationMs: lengthMs, live }, shown, template) };
    }
    if (format !== 'm3u8') return undefined;
    if (!quality) return { type: HLS_TYPE, text: renderPrimaryManifest(qualities, new URLSearchParams()) };
    const segments = mediaBetween(stream, lengthMs, { startTime: 0, endTime: Number.POSITIVE_INFINITY });
    const shown = mode === 'live' ? segments.slice(-LIVE_SEGMENTS) : segments;
    const text = renderQualityManifest(shown, (segment) => uris.segment(stream, quality.name, segment), !live);
    return { type: HLS_TYPE, text };
  }

  app.get('/sandbox/playlists/:streamId/:mode/:file', (request, response) => {
    const { streamId, mode, file } = request.params;
    const stream = streams.get(streamId);
    if (!stream) throw new Refusal(404, 'stream-not-found', `there is no stream "${streamId}"`);
    const there = mode === 'live' || (mode === 'on-demand' && stream.end);
    const answer = there ? render(stream, mode, file) : undefined;
    if (!answer) throw new Refusal(404, 'manifest-not-found', `${streamId} has no playlist ${mode}/${file}`);
    send(response, answer);
  });
  app.get('/sandbox/media/*segment', () => {
    throw new Refusal(404, 'no-media', 'the sandbox has manifests, but no media');
  });
}

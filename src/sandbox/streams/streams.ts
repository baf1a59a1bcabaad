import type { Notification } from '../../protocol/notification.js';
import type { Cancel, PlatformClock } from '../clock/platform-clock.js';
import { type FaultSource, type Place, streamSkewMs } from '../delivery/fault-plan.js';
import type { Work } from '../delivery/work.js';
import type { Settings } from '../settings.js';
import { type Playlist, PRIMARY, playlistsOf } from './qualities.js';
import { createStream, durationMs, type Stream, type StreamRequest } from './stream.js';

export interface StreamsOptions {
  settings: Settings;
  /** Part of every identifier. */
  run: string;
  source: FaultSource;
  clock: PlatformClock;
  work: Work;
  /** Address of a stream's playlist. */
  playlistUri(stream: Stream, mode: 'live' | 'on-demand', playlist: Playlist): string;
  deliver(place: Place, notification: Notification): void;
}

/** The streams of the platform, and the life each of them leads (contract: "Events"). */
export interface Streams {
  publish(request?: StreamRequest): Stream;
  /** Ends a live stream; the undefined of an unknown or ended one tells that nothing was done. */
  end(streamId: string, reason: string): Stream | undefined;
  /** Sends a notification of any kind for a stream, beside those of its life. */
  emit(stream: Stream, what: string, data: Record<string, unknown>): void;
  get(streamId: string): Stream | undefined;
  /** Oldest first. */
  all(): Stream[];
}

/** What is still to come in a stream's life. */
interface Life {
  /** Of the newest notification, ms since the epoch. */
  lastStamp: number;
  skewMs: number;
  playlistsToCome: Playlist[];
  emitted: number;
  cancels: Cancel[];
}

/**
 * A stream starts, has its live playlists, ends, has its on-demand playlists. One that ends early has what is missing of
 * its live playlists before: every life has the same events, so that the same seed gives the same run.
 */
export function createStreams({ settings, run, source, clock, work, playlistUri, deliver }: StreamsOptions): Streams {
  const streams = new Map<string, Stream>();
  const lives = new Map<Stream, Life>();
  const playlists = playlistsOf(settings.qualities);

  function lifeOf(stream: Stream): Life {
    const life = lives.get(stream);
    if (!life) throw new Error(`${stream.streamId} is no stream of this sandbox`);
    return life;
  }

  function schedule(stream: Stream, ms: number, run: () => void): void {
    const done = work.begin();
    const cancel = clock.after(ms, () => {
      run();
      done();
    });
    lifeOf(stream).cancels.push(() => {
      cancel();
      done();
    });
  }

  /** Each notification of a stream has a later timestamp than those before it. */
  function send(stream: Stream, name: string, what: string, data: Record<string, unknown>): void {
    const life = lifeOf(stream);
    life.lastStamp = Math.max(life.lastStamp + 1, clock.stamp() + life.skewMs);
    const timestamp = new Date(life.lastStamp).toISOString();
    const message = { apiVersion: 0, entity: 'stream', what, data, sessionId: stream.sessionId, timestamp };
    deliver({ streamNumber: stream.number, name }, message as Notification);
  }

  function sendPlaylist(stream: Stream, what: 'live' | 'on-demand', playlist: Playlist): void {
    const isPrimary = playlist.manifest === PRIMARY;
    const uri = playlistUri(stream, what, playlist);
    // isVariant is wrong, as the contract says it is ("Versioning", 4).
    const data = { streamId: stream.streamId, uri, isPrimary, isVariant: isPrimary };
    send(stream, `${what}/${playlist.manifest}.${playlist.format}`, what, data);
  }

  function nextLive(stream: Stream): void {
    const { playlistsToCome } = lifeOf(stream);
    const playlist = playlistsToCome.shift();
    if (playlist) sendPlaylist(stream, 'live', playlist);
    if (playlistsToCome.length > 0) schedule(stream, settings.playlistGapMs, () => nextLive(stream));
  }

  function end(streamId: string, reason: string, lastedMs?: number): Stream | undefined {
    const stream = streams.get(streamId);
    if (!stream || stream.end) return undefined;
    const life = lifeOf(stream);
    const busy = work.begin();
    for (const cancel of life.cancels.splice(0)) cancel();
    for (const playlist of life.playlistsToCome.splice(0)) sendPlaylist(stream, 'live', playlist);
    stream.end = { durationMs: Math.round(lastedMs ?? durationMs(stream, clock.now())), reason };
    const { tags } = stream;
    send(stream, 'ended', 'ended', { streamId, tags, duration: stream.end.durationMs, reason });
    playlists.forEach((playlist, index) => {
      const ms = settings.onDemandAfterMs + index * settings.playlistGapMs;
      schedule(stream, ms, () => sendPlaylist(stream, 'on-demand', playlist));
    });
    busy();
    return stream;
  }

  return {
    publish(request = {}) {
      const number = streams.size + 1;
      const now = { stamp: clock.stamp(), platform: clock.now() };
      const stream = createStream(request, number, run, now);
      const skewMs = streamSkewMs(source, number);
      streams.set(stream.streamId, stream);
      lives.set(stream, { lastStamp: 0, skewMs, playlistsToCome: [...playlists], emitted: 0, cancels: [] });
      send(stream, 'started', 'started', { streamId: stream.streamId, tags: stream.tags });
      schedule(stream, settings.liveAfterMs, () => nextLive(stream));
      const lastsMs = request.durationMs ?? settings.streamDurationMs;
      if (lastsMs !== undefined) {
        schedule(stream, lastsMs, () => void end(stream.streamId, request.reason ?? '', lastsMs));
      }
      return stream;
    },
    end: (streamId, reason) => end(streamId, reason),
    emit(stream, what, data) {
      const life = lifeOf(stream);
      life.emitted += 1;
      send(stream, `emitted/${life.emitted}`, what, { streamId: stream.streamId, ...data });
    },
    get: (streamId) => streams.get(streamId),
    all: () => [...streams.values()],
  };
}

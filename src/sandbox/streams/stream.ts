import { createHash } from 'node:crypto';

/** What a stream is published with. */
export interface StreamRequest {
  /** Given by the token (`applyTags`). */
  tags?: readonly string[] | undefined;
  /** What subscribers may do with it, such as `streaming`; default `streaming` and `on-demand`. */
  capabilities?: readonly string[] | undefined;
  /** Default: until it is ended, or the setting `streamDurationMs`. Platform ms. */
  durationMs?: number | undefined;
  /** Reason of an end by duration; default empty. */
  reason?: string | undefined;
  /** Session of the publishing client; default one made up. */
  sessionId?: string | undefined;
  /** What is published: default an SRT address of an example. */
  uri?: string | undefined;
}

/** A stream, as the platform knows it. */
export interface Stream {
  readonly streamId: string;
  /** 1 for the first of the run; with the seed it decides the stream's faults. */
  readonly number: number;
  readonly sharedSecret: string;
  readonly sessionId: string;
  readonly uri: string;
  readonly tags: readonly string[];
  readonly capabilities: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Platform ms. */
  readonly startedAtPlatform: number;
  /** Set when it ended. `durationMs`: platform ms. */
  end: { durationMs: number; reason: string } | undefined;
}

/** A stream as `streams()` and the control API show it. */
export interface StreamView {
  streamId: string;
  state: 'live' | 'ended';
  uri: string;
  tags: readonly string[];
  capabilities: readonly string[];
  sessionId: string;
  sharedSecret: string;
  /** RFC 3339. */
  startedAt: string;
  /** So far, or in all; platform ms. */
  durationMs: number;
  /** Of an ended one. */
  reason?: string;
}

/** @param run part of its identifiers */
export function createStream(
  request: StreamRequest,
  number: number,
  run: string,
  now: { stamp: number; platform: number },
): Stream {
  const streamId = `sandbox#${number}.${run}`;
  const sharedSecret = `DIGEST:${createHash('sha256').update(streamId).digest('base64')}`;
  return {
    streamId,
    number,
    sharedSecret,
    sessionId: request.sessionId ?? `session-${number}.${run}`,
    uri: request.uri ?? 'srt://encoder.example.com:9000',
    tags: request.tags ?? [],
    capabilities: request.capabilities ?? ['streaming', 'on-demand'],
    startedAt: now.stamp,
    startedAtPlatform: now.platform,
    end: undefined,
  };
}

/** How much media a stream has, platform ms. */
export function durationMs(stream: Stream, platformNow: number): number {
  return stream.end?.durationMs ?? Math.max(0, Math.round(platformNow - stream.startedAtPlatform));
}

export function viewStream(stream: Stream, platformNow: number): StreamView {
  const { streamId, uri, tags, capabilities, sessionId, sharedSecret } = stream;
  return {
    streamId,
    state: stream.end ? 'ended' : 'live',
    uri,
    tags,
    capabilities,
    sessionId,
    sharedSecret,
    startedAt: new Date(stream.startedAt).toISOString(),
    durationMs: durationMs(stream, platformNow),
    ...(stream.end ? { reason: stream.end.reason } : {}),
  };
}

import { mediaBetween, type Segment } from '../streams/media.js';
import { PRIMARY, type Quality } from '../streams/qualities.js';
import type { Stream } from '../streams/stream.js';
import { type Application, authorizeToken, type Bearer, TOKEN_DEMANDS } from './authorize.js';
import { findSource } from './find-source.js';
import { Refusal } from './refusal.js';

export interface ReplayRequest extends Omit<Bearer, 'token'> {
  /** Last part of the path, such as `primary.m3u8`. */
  file: string;
  query: URLSearchParams;
}

/** What a replay consists of. */
export type Replay =
  | { type: 'primary'; query: URLSearchParams }
  | { type: 'quality'; quality: Quality; stream: Stream; segments: Segment[] };

export interface ReplaySources {
  streams: Stream[];
  qualities: readonly Quality[];
  /** Milliseconds of media that a stream has. */
  durationMs(stream: Stream): number;
}

const RANGE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Finds the media of a time range (contract: "Fetch a replay manifest").
 *
 * @throws Refusal 401, 404 where there is no such manifest or no media in the range, or 400
 */
export function readReplay(application: Application, sources: ReplaySources, request: ReplayRequest): Replay {
  const { query, file } = request;
  const token = query.get('edgeAuthToken') ?? undefined;
  const claims = authorizeToken(application, { ...request, token }, TOKEN_DEMANDS.replay);
  const type = /^([^.]+)\.m3u8$/.exec(file)?.[1];
  const quality = sources.qualities.find(({ name }) => name === type);
  if (type !== PRIMARY && !quality) {
    const there = [PRIMARY, ...sources.qualities.map(({ name }) => name)].map((name) => `${name}.m3u8`).join(', ');
    throw new Refusal(404, 'manifest-not-found', `there is no manifest "${file}"; there are ${there}`);
  }
  const startTime = readTime(query, 'startTime');
  const endTime = readTime(query, 'endTime');
  if (endTime <= startTime) throw new Refusal(400, 'invalid-time-range', 'endTime: expected a time after startTime');
  readNumbers(query);
  const stream = findSource(
    sources.streams.filter(({ startedAt }) => startedAt < endTime),
    claims,
  );
  const segments = mediaBetween(stream, sources.durationMs(stream), { startTime, endTime });
  if (segments.length === 0) {
    const from = new Date(stream.startedAt).toISOString();
    const to = new Date(stream.startedAt + sources.durationMs(stream)).toISOString();
    throw new Refusal(404, 'no-media', `no media in this time: ${stream.streamId} has media from ${from} to ${to}`);
  }
  if (quality) return { type: 'quality', quality, stream, segments };
  return {
    type: 'primary',
    query: new URLSearchParams([
      ['tenancy', request.applicationId],
      ['edgeAuthToken', token ?? ''],
      ['startTime', query.get('startTime') ?? ''],
      ['endTime', query.get('endTime') ?? ''],
      ['options', query.get('options') ?? ''],
    ]),
  };
}

function readTime(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  const time = RANGE_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new Refusal(400, 'invalid-time-range', `${name}: expected a time such as 2026-01-31T12:00:00.000Z`);
}

function readNumbers(query: URLSearchParams): void {
  if ((query.get('apiVersion') ?? '0') !== '0') {
    throw new Refusal(400, 'invalid-api-version', 'apiVersion: expected 0');
  }
  const roundTripTime = query.get('httpRoundTripTime') ?? '0';
  if (!/^\d+(\.\d+)?$/.test(roundTripTime)) {
    throw new Refusal(400, 'invalid-round-trip-time', 'httpRoundTripTime: expected a number');
  }
}

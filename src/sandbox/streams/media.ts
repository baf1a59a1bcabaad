import type { Stream } from './stream.js';

/** Media comes in pieces of so many ms; the last of a stream may be shorter. */
export const SEGMENT_MS = 4_000;

export interface Segment {
  /** 0 for the first of the stream. */
  number: number;
  /** Milliseconds since the epoch. */
  startsAt: number;
  durationMs: number;
}

/** Times in milliseconds since the epoch. */
export interface TimeRange {
  startTime: number;
  endTime: number;
}

/** The whole segments of a stream that have media of a time range. A stream's media begins when it started. */
export function mediaBetween(stream: Stream, durationMs: number, range: TimeRange): Segment[] {
  const from = Math.max(0, range.startTime - stream.startedAt);
  const to = Math.min(durationMs, range.endTime - stream.startedAt);
  if (to <= from) return [];
  const first = Math.floor(from / SEGMENT_MS);
  const count = Math.ceil(to / SEGMENT_MS) - first;
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const offsetMs = number * SEGMENT_MS;
    return {
      number,
      startsAt: stream.startedAt + offsetMs,
      durationMs: Math.min(SEGMENT_MS, durationMs - offsetMs),
    };
  });
}

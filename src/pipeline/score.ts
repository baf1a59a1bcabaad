import { isKnownKind, type KnownKind } from '../protocol/notification.js';

/** The natural order of kinds, for notifications with the same timestamp. */
const RANK: Record<KnownKind, number> = { started: 0, live: 1, ended: 3, 'on-demand': 4 };
const RANK_OF_UNKNOWN = 2;
const RANKS = 8;

/**
 * A notification's place in its stream: milliseconds × 8 + rank of its kind. An integer below 2^53 until the year 37,000,
 * so that a sorted set of Redis keeps it exactly.
 */
export function score(timestampMs: number, kind: string): number {
  return timestampMs * RANKS + (isKnownKind(kind) ? RANK[kind] : RANK_OF_UNKNOWN);
}

/** The timestamp of a score, milliseconds since the epoch. */
export function timestampOfScore(value: number): number {
  return Math.floor(value / RANKS);
}

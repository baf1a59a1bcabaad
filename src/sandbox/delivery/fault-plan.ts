import { type Random, seededRandom } from '../seeded-random.js';
import type { Faults } from './faults.js';
import { FORGERIES, type Forgery } from './forge-notification.js';

/** How long after its acknowledgement an acknowledged notification is sent again at most, platform ms. */
const REPEATED_WITHIN_MS = 10_000;

/** What decides the faults of a notification: the same wherever and whenever it is asked for. */
export interface FaultSource {
  faults: Faults;
  seed: number;
  /** How long a reordered notification is held back at most, real ms. */
  reorderWindowMs: number;
}

/** A notification's place in the run: the number of its stream and its name there, such as `live/xhd.mpd`. */
export interface Place {
  streamNumber: number;
  name: string;
}

/** What happens to a notification. */
export interface NotificationPlan {
  /** Held back before the first attempt, real ms: receivers wait for earlier ones in real time. */
  heldBackMs: number;
  /** A copy that must be refused is sent first. */
  forgery: Forgery | undefined;
  /** Sent again so long after it was acknowledged, platform ms. */
  repeatedAfterMs: number | undefined;
}

/** What happens to one attempt. */
export interface AttemptPlan {
  /** The answer gets lost on its way. */
  lostAck: boolean;
  /** By how much the clock that stamps the signature is off, ms. */
  skewMs: number;
  /** How far the tags are turned round, from 0 to 1; undefined where they come as published. */
  turnTags: number | undefined;
  /** The message gets a new timestamp. */
  restamp: boolean;
}

export function planNotification(source: FaultSource, place: Place): NotificationPlan {
  const draw = drawFor(source, place, 'notification');
  const [reorder, delay, forge, forgery, repeat, after] = [draw(), draw(), draw(), draw(), draw(), draw()];
  const { faults } = source;
  return {
    heldBackMs: reorder < faults.reorder ? Math.ceil(delay * source.reorderWindowMs) : 0,
    forgery: forge < faults.badSignature ? FORGERIES[Math.floor(forgery * FORGERIES.length)] : undefined,
    repeatedAfterMs: repeat < faults.repeat ? Math.ceil(after * REPEATED_WITHIN_MS) : undefined,
  };
}

/** @param attempt 1 for the first; every further one is a repeat, and may differ from the first */
export function planAttempt(source: FaultSource, place: Place, attempt: number): AttemptPlan {
  const draw = drawFor(source, place, 'attempt', attempt);
  const [lostAck, skew, retag, turn, restamp] = [draw(), draw(), draw(), draw(), draw()];
  const { faults } = source;
  const repeat = attempt > 1;
  return {
    lostAck: lostAck < faults.lostAck,
    skewMs: spread(skew, faults.skewMs),
    turnTags: repeat && retag < faults.retag ? turn : undefined,
    restamp: repeat && restamp < faults.restamp,
  };
}

/** By how much the clock that stamps a stream's messages is off, ms. One for a stream: its order stays meaningful. */
export function streamSkewMs(source: FaultSource, streamNumber: number): number {
  return spread(drawFor(source, { streamNumber, name: '' }, 'stream')(), source.faults.skewMs);
}

function drawFor(source: FaultSource, place: Place, ...purpose: (string | number)[]): Random {
  return seededRandom(source.seed, place.streamNumber, place.name, ...purpose);
}

function spread(drawn: number, most: number): number {
  return Math.round((drawn * 2 - 1) * most);
}

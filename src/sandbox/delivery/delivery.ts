import type { Notification } from '../../protocol/notification.js';
import type { Place } from './fault-plan.js';

/**
 * `pending`: on its way. `acknowledged`: answered 2XX. `refused`: answered in a way that is not repeated. `dropped`:
 * repeats used up. `unsent`: no endpoint was registered.
 */
export type DeliveryState = 'pending' | 'acknowledged' | 'refused' | 'dropped' | 'unsent';

/** `repeat`: after no acknowledgement. `extra`: sent again in spite of one. `forged`: a copy that must be refused. */
export type AttemptKind = 'first' | 'repeat' | 'extra' | 'forged';

/** What the receiver answered: an HTTP code, or why there was no answer. */
export type Answer = { http: number } | { noAnswer: string };

/** One request. */
export interface Attempt {
  kind: AttemptKind;
  /** 1 for the first; a forged copy is 0. */
  number: number;
  /** Platform ms since the start of the sandbox. */
  atMs: number;
  answer: Answer;
  /** Real ms. */
  tookMs: number;
  /** What was wrong with it on purpose: `lost-ack`, `retag`, `restamp`, `forged-…` */
  faults: string[];
}

/** A notification and what became of it. */
export interface Delivery extends Place {
  streamId: string;
  what: string;
  /** As it was first sent. */
  message: Notification;
  state: DeliveryState;
  /** Real ms that it was held back so that later ones of its stream overtake it. */
  heldBackMs: number;
  /** Value of the timestamp header of its first attempt. */
  signedAt?: string;
  attempts: Attempt[];
}

export function isAcknowledgement(answer: Answer): boolean {
  return 'http' in answer && answer.http >= 200 && answer.http < 300;
}

/** Whether the receiver took it over, be its answer lost on the way: it may not lose it any more. */
export function wasAccepted(delivery: Delivery): boolean {
  return delivery.attempts.some((attempt) => attempt.kind !== 'forged' && isAcknowledgement(attempt.answer));
}

/** What the platform makes of an answer (contract: "Notification delivery", "Limits"): 5XX is repeated, no other code. */
export function judge(
  answer: Answer,
  unanswered: 'repeat' | 'drop',
): 'acknowledged' | 'refused' | 'repeat' | 'dropped' {
  if (isAcknowledgement(answer)) return 'acknowledged';
  if ('http' in answer) return answer.http >= 500 ? 'repeat' : 'refused';
  return unanswered === 'repeat' ? 'repeat' : 'dropped';
}

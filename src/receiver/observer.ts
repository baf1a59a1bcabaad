import type { Check } from '../protocol/signature.js';
import type { Outcome } from './answers.js';

/** Why a request was not let in: the check that failed, or its size. */
export type RejectionReason = Check | 'payload-too-large';

export interface AnsweredRequest {
  outcome: Outcome;
  /** HTTP status; 0 where the sender left before there was an answer. */
  status: number;
  /** From the request's headers to its answer, ms. */
  durationMs: number;
  /** The notification's `what`, where it was read. */
  kind?: string | undefined;
}

/** Told of every request: what metrics are made of. */
export interface ReceiverObserver {
  answered(request: AnsweredRequest): void;
  rejected(reason: RejectionReason): void;
}

export const noReceiverObserver: ReceiverObserver = { answered: () => {}, rejected: () => {} };

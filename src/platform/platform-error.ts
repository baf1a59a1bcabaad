import type { Operation, RetryGuidance, StatusName } from '../protocol/statuses.js';

/**
 * What the client itself finds, where the platform gave no status:
 * `invalid-request`: the input cannot be sent, nothing was; `foreign-origin`: a manifest leads away from the platform,
 * nothing was sent; `unreachable`: no connection, or it broke; `timeout`: an attempt took too long; `aborted`: by the
 * caller's signal; `invalid-answer`: a success that cannot be read.
 */
export type ClientStatus =
  | 'invalid-request'
  | 'foreign-origin'
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'invalid-answer';

/** Why an operation did not succeed (contract: "Errors"). A value, never thrown; no token or secret is in it. */
export interface PlatformError {
  /** As the platform said; `http-502` where its answer named none; else what the client found. */
  status: StatusName | ClientStatus | `http-${number}` | (string & {});
  /** HTTP code of the last attempt's answer, even one that broke off; undefined where there was none. */
  http: number | undefined;
  /** When repeating the request can help. The client has already done so, up to its limit. */
  retry: RetryGuidance;
  /** One line: what failed and what to do. */
  message: string;
  /** Requests made; 0 where none was. */
  attempts: number;
  /** The answer's JSON, where it was JSON. */
  answer?: unknown;
  /** The error underneath: a socket's, or the reason of the abort. */
  cause?: unknown;
}

/** A failure of one attempt. */
export type Failure = Omit<PlatformError, 'attempts'>;

/** What every operation gives: its result, or why there is none. */
export type PlatformResult<Result> = ({ ok: true; attempts: number } & Result) | { ok: false; error: PlatformError };

/** Told before each wait: attempt `attempt` (1…) failed with `failure`, the next follows in `waitMs`. */
export interface RetryNotice {
  operation: Operation;
  attempt: number;
  waitMs: number;
  failure: Failure;
}

/** The result for input that cannot be sent, with all its problems. */
export function invalidRequest(problems: readonly string[]): { ok: false; error: PlatformError } {
  const message = `nothing was sent: ${problems.join('; ')}`;
  return { ok: false, error: { status: 'invalid-request', http: undefined, retry: 'never', message, attempts: 0 } };
}

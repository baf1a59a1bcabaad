import type { Logger } from 'pino';
import type { Outcome } from './answers.js';
import type { ReceiverObserver } from './observer.js';

/** Longest path that is logged, characters. */
const PATH_LENGTH = 200;
/** Most departures from the contract that are named of one notification. */
const DEVIATIONS = 5;
/** An outage fails every request alike: one stack trace in this time is enough, ms. */
const STACK_EVERY_MS = 1_000;

/** What is told of a request. Nothing of its body, headers, signature or query is in it. */
export interface RequestRecord {
  method: string;
  /** Without the query. */
  path: string;
  outcome: Outcome;
  /** HTTP status; 0 where there was no answer. */
  status: number;
  durationMs: number;
  id?: string | undefined;
  kind?: string | undefined;
  stream?: string | undefined;
  /** Of the body, as far as it was read. */
  bytes?: number | undefined;
  /** Departures from the contract that did not stop the delivery. */
  deviations?: string[] | undefined;
  /** Why it is no notification, or no request. */
  problem?: string | undefined;
  remoteAddress?: string | undefined;
  /** The sender was gone before its answer. */
  senderGone?: true | undefined;
  /** Why it could not be kept. */
  error?: unknown;
}

/** Writes one line for each request, and counts it. */
export type RequestLog = (record: RequestRecord) => void;

export function createRequestLog(log: Logger, observer: ReceiverObserver): RequestLog {
  let stackAt = Number.NEGATIVE_INFINITY;
  return ({ error, ...record }) => {
    const { outcome, status, durationMs, kind } = record;
    observer.answered({ outcome, status, durationMs, kind });
    const line = {
      ...record,
      path: record.path.slice(0, PATH_LENGTH),
      durationMs: Math.round(durationMs * 100) / 100,
      deviations: record.deviations?.length ? record.deviations.slice(0, DEVIATIONS) : undefined,
    };
    if (outcome === 'unavailable') {
      const now = performance.now();
      const withStack = now - stackAt >= STACK_EVERY_MS;
      if (withStack) stackAt = now;
      log.error({ ...line, ...(withStack ? { err: error } : { problem: String(error) }) }, 'not kept, asked to repeat');
    } else if (outcome === 'overloaded' || outcome === 'invalid' || line.deviations) {
      log.warn(line, 'request');
    } else if (outcome === 'healthy') {
      log.debug(line, 'request');
    } else {
      log.info(line, 'request');
    }
  };
}

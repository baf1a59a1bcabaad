import { retryAfterMs } from '../handlers/errors.js';

/** No wait between attempts is longer, unless the handler itself asks for it. */
const LONGEST_WAIT_MS = 3_600_000;
/** BullMQ's word for "do not try again". */
const GIVE_UP = -1;

/** What BullMQ is told of a failed attempt: when to try again, or never. Message and stack are the handler's. */
export class AttemptFailedError extends Error {
  override readonly name = 'AttemptFailedError';
  readonly retryInMs: number | undefined;

  constructor(cause: unknown, retryInMs: number | undefined) {
    super(messageOf(cause), { cause });
    this.retryInMs = retryInMs;
    if (cause instanceof Error && typeof cause.stack === 'string') this.stack = cause.stack;
  }
}

/** The reason to be shown. A handler may throw anything: nothing here may throw in turn, or its delivery would never end. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message || error.name : error).slice(0, 2000);
  } catch {
    return 'an error that cannot be shown';
  }
}

/** The wait after the nth failed attempt, ms: doubled each time, or what the handler asked for. */
export function waitAfter(error: unknown, failures: number, backoffMs: number): number {
  return retryAfterMs(error) ?? Math.min(backoffMs * 2 ** (failures - 1), LONGEST_WAIT_MS);
}

/** For BullMQ's workers (`settings.backoffStrategy`): carries out what {@link AttemptFailedError} says. */
export function deliveryBackOff(_attemptsMade: number, _type?: string, error?: Error): number {
  if (error instanceof AttemptFailedError) return error.retryInMs ?? GIVE_UP;
  // Not the handler: Redis refused a write, say. The job is only run again; its lane knows how far it came.
  return 1000;
}

/** The sequencer's: it fails only when Redis refuses, and never gives up. */
export function sequencerBackOff(attemptsMade: number): number {
  return Math.min(100 * 2 ** Math.min(attemptsMade, 10), 10_000);
}

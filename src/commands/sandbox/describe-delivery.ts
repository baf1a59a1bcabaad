import type { Answer, Attempt, Delivery } from '../../sandbox/delivery/delivery.js';

/** One attempt in a line: when (platform seconds), what, for which stream, how it went. */
export function describeAttempt(delivery: Delivery, attempt: Attempt): string {
  return [
    `${(attempt.atMs / 1000).toFixed(1)}s`.padStart(9),
    delivery.what.padEnd(9),
    delivery.streamId,
    attempt.kind === 'repeat' ? `repeat ${attempt.number - 1}` : attempt.kind,
    describeAnswer(attempt.answer),
    `${attempt.tookMs} ms`,
    ...(delivery.heldBackMs > 0 && attempt.kind === 'first' ? ['held-back'] : []),
    ...attempt.faults,
  ].join('  ');
}

export function describeAnswer(answer: Answer): string {
  return 'http' in answer ? String(answer.http) : answer.noAnswer;
}

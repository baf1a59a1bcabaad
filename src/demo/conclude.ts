import { checkAnswers } from './check-answers.js';
import { checkArrivals } from './check-arrivals.js';
import { HOLD_MS } from './demo-environment.js';
import { streamOf } from './expect-arrivals.js';
import type { Sent } from './read-requests.js';
import type { Evidence } from './report/deliveries.js';
import type { Screen } from './report/screen.js';
import { printVerdict } from './report/verdict.js';

/** Compares what arrived with what was sent, says so, and gives the exit code: 0 only if they are the same. */
export function conclude(evidence: Evidence, screen: Screen): 0 | 1 {
  const { sent, expected, arrivals } = evidence;
  const problems = [...checkAnswers(sent), ...checkArrivals(expected, arrivals)];
  const delayMs = longestDelayMs(sent);
  if (problems.length > 0 && delayMs > HOLD_MS) {
    problems.push(
      `on this busy machine one was sent ${Math.round(delayMs)} ms after a later one of its stream, longer than the ${HOLD_MS} ms for which order is promised`,
    );
  }
  printVerdict(evidence, problems, screen);
  return problems.length === 0 ? 0 : 1;
}

/** How long after a later notification of its stream one was answered at most. */
function longestDelayMs(sent: readonly Sent[]): number {
  const told = sent.filter(({ repeatOf, forged }) => repeatOf === undefined && !forged);
  const delays = told.flatMap((one) =>
    told
      .filter((other) => streamOf(other.notification) === streamOf(one.notification) && other.atS > one.atS)
      .map((later) => one.at + one.tookMs - later.at),
  );
  return Math.max(0, ...delays);
}

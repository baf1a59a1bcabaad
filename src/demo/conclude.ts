import { checkAnswers } from './check-answers.js';
import { checkArrivals } from './check-arrivals.js';
import { HOLD_MS } from './demo-environment.js';
import type { Evidence } from './report/deliveries.js';
import type { Screen } from './report/screen.js';
import { printVerdict } from './report/verdict.js';

/** Compares what arrived with what was sent, says so, and gives the exit code: 0 only if they are the same. */
export function conclude(evidence: Evidence, screen: Screen): 0 | 1 {
  const { sent, expected, arrivals } = evidence;
  const problems = [...checkAnswers(sent), ...checkArrivals(expected, arrivals)];
  const tookMs = (sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0);
  if (problems.length > 0 && tookMs > HOLD_MS) {
    problems.push(
      `sending took ${Math.round(tookMs)} ms on this busy machine, longer than the ${HOLD_MS} ms for which order is promised`,
    );
  }
  printVerdict(evidence, problems, screen);
  return problems.length === 0 ? 0 : 1;
}

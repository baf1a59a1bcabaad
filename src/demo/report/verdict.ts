import { formatTable } from '../../commands/table.js';
import { HOLD_MS } from '../demo-environment.js';
import { type Delivery, type Evidence, listDeliveries } from './deliveries.js';
import { indent, printTitle, type Screen } from './screen.js';

/** The figures, and whether what arrived is what was sent; if not, what is wrong. */
export function printVerdict(evidence: Evidence, problems: readonly string[], screen: Screen): void {
  const { print, colors } = screen;
  const { bold, dim, green, red } = colors;
  printTitle('6  The result', '', screen);
  const rows = Object.entries(figures(evidence)).map(([name, figure]) => [dim(name), figure]);
  print(indent(formatTable([], rows)));
  print();
  if (problems.length === 0) {
    print(green(bold('What arrived is what was sent: all of it, to every handler that asked for it, once, in order.')));
    return;
  }
  print(red(bold('What arrived is not what was sent:')));
  for (const problem of problems) print(indent(red(problem)));
}

function figures(evidence: Evidence): Record<string, string> {
  const { sent, arrivals } = evidence;
  const deliveries = listDeliveries(evidence);
  const repeats = sent.filter(({ repeatOf }) => repeatOf !== undefined).length;
  const forged = sent.filter((request) => request.forged).length;
  const fresh = sent.length - repeats - forged;
  const answered = (status: number) => arrivals.filter((one) => one.status === status).length;
  const slowestAnswerMs = Math.max(0, ...sent.map(({ tookMs }) => tookMs));
  const longest = (longestMs(deliveries) / 1000).toFixed(2);
  return {
    sent: `${sent.length} requests: ${fresh} notifications, ${repeats} repeats, ${forged} forged`,
    rejected: `${sent.filter(({ answer }) => answer === 401).length}`,
    'handled twice': String(deliveries.filter(({ takenAt }) => takenAt.length > 1).length),
    delivered: `${countTaken(deliveries)}: ${perHandler(deliveries)}`,
    failures: `${answered(503)} tried again, ${answered(422)} replayed`,
    longest: `${Math.round(slowestAnswerMs)} ms to an answer; where nothing failed, ${longest} s to a handler (hold: ${HOLD_MS / 1000} s)`,
  };
}

function perHandler(deliveries: readonly Delivery[]): string {
  const handlers = [...new Set(deliveries.map(({ handler }) => handler))];
  return handlers
    .map((name) => `${name} ${countTaken(deliveries.filter(({ handler }) => handler === name))}`)
    .join(', ');
}

function countTaken(deliveries: readonly Delivery[]): string {
  return `${deliveries.filter(({ takenAt }) => takenAt.length > 0).length}/${deliveries.length}`;
}

/** From sending to a handler's system. A stream that waited for a failure in this handler does not count. */
function longestMs(deliveries: readonly Delivery[]): number {
  const hasFailed = new Set(deliveries.filter(({ attempts }) => attempts.length > 1).map(laneOf));
  const undisturbed = deliveries.filter((one) => one.takenAt.length > 0 && !hasFailed.has(laneOf(one)));
  return Math.max(0, ...undisturbed.map(({ takenAt, request }) => (takenAt[0] ?? 0) - request.at));
}

function laneOf({ handler, stream }: Delivery): string {
  return `${handler} ${stream}`;
}

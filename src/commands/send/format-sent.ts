import { printableShort } from '../../protocol/mismatch/printable.js';
import type { Sent } from './send-all.js';
import { round, type Summary } from './summarize.js';

/** One line: status, time, the answer's id, the stream. What the receiver answers is printed as ASCII. */
export function formatSent(sent: Sent): string {
  const ms = `${round(sent.ms).toFixed(1)} ms`.padStart(10);
  const stream = printableShort(sent.streamId);
  if (sent.http === undefined) return `---  ${ms}  ${printableShort(sent.error)}  ${stream}`;
  const { status, id, duplicate, message } = sent.answer;
  const words = [status, id, duplicate ? '(seen before)' : undefined, message].filter((word) => word !== undefined);
  return [sent.http, ms, ...words.map(printableShort), stream].join('  ');
}

export function formatSummary(summary: Summary): string {
  const { sent, ok, durationMs, perSecond, latencyMs } = summary;
  const first = `${sent} sent, ${ok} answered 2XX, in ${round(durationMs / 1000)} s (${perSecond}/s)`;
  if (!latencyMs) return first;
  const { min, p50, p90, p99, max } = latencyMs;
  return `${first}\nms: min ${min}  p50 ${p50}  p90 ${p90}  p99 ${p99}  max ${max}`;
}

/** `503: 2, ECONNRESET: 1` */
export function formatOutcomes(outcomes: Summary['outcomes']): string {
  return Object.entries(outcomes)
    .map(([name, count]) => `${printableShort(name)}: ${count}`)
    .join(', ');
}

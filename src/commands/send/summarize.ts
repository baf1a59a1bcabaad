import type { Sent } from './send-all.js';

/** How a run went. Latencies are those of answered requests, in milliseconds. */
export interface Summary {
  sent: number;
  /** Answered 2XX. */
  ok: number;
  /** How often each status, or each error, was seen. */
  outcomes: Record<string, number>;
  durationMs: number;
  perSecond: number;
  latencyMs?: { min: number; p50: number; p90: number; p99: number; max: number };
}

export function summarize(sent: readonly Sent[], durationMs: number): Summary {
  const outcomes: Record<string, number> = {};
  for (const one of sent) {
    const name = one.http === undefined ? one.error : String(one.http);
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  }
  const sorted = sent.flatMap(({ http, ms }) => (http === undefined ? [] : [ms])).sort((one, other) => one - other);
  const at = (share: number) => round(percentile(sorted, share));
  return {
    sent: sent.length,
    ok: sent.filter(isOk).length,
    outcomes,
    durationMs: round(durationMs),
    perSecond: round(sent.length / (durationMs / 1000)),
    ...(sorted.length === 0
      ? {}
      : { latencyMs: { min: at(0), p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) } }),
  };
}

export function isOk({ http }: Sent): boolean {
  return http !== undefined && http >= 200 && http < 300;
}

/** The smallest value that at least this share of all is not above. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Tenths are enough of a millisecond. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

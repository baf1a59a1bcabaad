import type { FailedRow } from './failed-rows.js';

/** A failed delivery's place in its lane. */
export interface FailedInLane {
  id: string;
  score: number;
}

/** Lanes under way at a time in a bulk call. */
const LANES_AT_ONCE = 32;
const DELIVERIES_PER_CALL = 500;

/** Calls `work` for every lane's deliveries in order of score, in portions, several lanes at a time. */
export async function eachLane(
  rows: readonly FailedRow[],
  work: (handler: string, stream: string, deliveries: readonly FailedInLane[]) => Promise<void>,
): Promise<void> {
  const lanes = new Map<string, { handler: string; stream: string; deliveries: FailedInLane[] }>();
  for (const row of rows) {
    if (row.handler === undefined) continue;
    const name = `${row.handler}:${row.stream}`;
    const lane = lanes.get(name) ?? { handler: row.handler, stream: row.stream, deliveries: [] };
    lane.deliveries.push({ id: row.id, score: scoreOf(row) });
    lanes.set(name, lane);
  }
  const all = [...lanes.values()];
  const next = async (): Promise<void> => {
    for (let lane = all.pop(); lane; lane = all.pop()) {
      const ordered = lane.deliveries.sort((a, b) => a.score - b.score);
      for (let at = 0; at < ordered.length; at += DELIVERIES_PER_CALL) {
        await work(lane.handler, lane.stream, ordered.slice(at, at + DELIVERIES_PER_CALL));
      }
    }
  };
  await Promise.all(Array.from({ length: LANES_AT_ONCE }, next));
}

function scoreOf({ stored }: FailedRow): number {
  return stored && 'score' in stored ? stored.score : 0;
}

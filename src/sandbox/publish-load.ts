import { setTimeout as realPause } from 'node:timers/promises';
import { seededRandom } from './seeded-random.js';
import type { StreamRequest } from './streams/stream.js';

export interface LoadRun {
  /** Streams to publish. */
  count: number;
  /** Streams for each real second. */
  ratePerS: number;
  /** How long a stream lasts, platform ms: from half of it to half as much again. */
  durationMs: number;
  seed: number;
  signal?: AbortSignal | undefined;
}

/** Publishes streams at a steady rate; they end by themselves. Resolves when all are published, or on the signal. */
export async function publishLoad(publish: (request: StreamRequest) => unknown, run: LoadRun): Promise<void> {
  const { count, ratePerS, signal } = run;
  const startedAt = performance.now();
  for (let published = 0; published < count; ) {
    if (signal?.aborted) return;
    const due = Math.min(count, 1 + Math.floor(((performance.now() - startedAt) / 1000) * ratePerS));
    while (published < due) {
      published += 1;
      publish(streamRequest(run, published));
    }
    await realPause(1000 / Math.max(ratePerS, 100));
  }
}

function streamRequest({ seed, durationMs }: LoadRun, number: number): StreamRequest {
  const random = seededRandom(seed, number, 'load');
  const tags = [`channel-${1 + Math.floor(random() * 20)}`, `run-${seed}`, `number-${number}`];
  return { tags, durationMs: Math.round(durationMs * (0.5 + random())), reason: random() < 0.5 ? '' : 'finished' };
}

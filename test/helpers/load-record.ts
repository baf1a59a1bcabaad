import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { groupBy, keyOf } from './load.js';
import type { Delivered } from './load-platform.js';

/** A run of a handler, as it told it itself. */
export interface Run {
  handler: string;
  pid: number;
  id: string;
  what: string;
  stream: string;
  n: number;
  fence: number;
  attempt: number;
  late: boolean;
  replayed: boolean;
  /** When it started, milliseconds since the epoch. */
  at: number;
  /** How it ended, if it lived to tell. */
  outcome?: 'done' | 'failed';
  /** Whether the run before it in its lane had ended when it started. */
  alone: boolean;
}

/** The runs in a record so far, in the order in which they started; all processes of a test write to one. */
export function createRecord(file: string): { runs(handler?: string): Run[] } {
  const runs: Run[] = [];
  const byFence = new Map<string, Run>();
  const latest = new Map<string, Run>();
  let read = 0;

  function add(line: string): void {
    const { event, ...told } = JSON.parse(line) as Run & { event: 'start' | 'done' | 'failed' };
    const name = `${told.id}/${told.fence}`;
    if (event !== 'start') {
      const run = byFence.get(name);
      if (run) run.outcome = event;
      return;
    }
    const lane = `${told.handler}:${told.stream}`;
    const before = latest.get(lane);
    const run: Run = { ...told, alone: before === undefined || before.outcome !== undefined };
    runs.push(run);
    byFence.set(name, run);
    latest.set(lane, run);
  }

  return {
    runs(handler = 'catalogue') {
      // What is behind the last newline is being written.
      const fresh = readFrom(file, read);
      const whole = fresh.subarray(0, fresh.lastIndexOf('\n') + 1);
      read += whole.length;
      for (const line of whole.toString('utf8').split('\n')) if (line !== '') add(line);
      return runs.filter((run) => run.handler === handler);
    },
  };
}

function readFrom(file: string, offset: number): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size - offset);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(descriptor);
  }
}

/** Of what was answered 2XX, what no run has done. */
export function notDone(delivered: Iterable<Delivered>, runs: readonly Run[]): string[] {
  const done = new Set(runs.filter(({ outcome }) => outcome === 'done').map(keyOf));
  return [...delivered].map(({ planned }) => keyOf(planned)).filter((key) => !done.has(key));
}

/** What ran more than once, with the processes that ran it. */
export function ranAgain(runs: readonly Run[]): { key: string; pids: number[] }[] {
  return [...groupBy(runs, keyOf)]
    .filter(([, same]) => same.length > 1)
    .map(([key, same]) => ({ key, pids: same.map(({ pid }) => pid) }));
}

/**
 * What breaks the promise of order, in words: in each lane a later start has a later place and a greater fence, but for runs
 * that say `late`; and `late` is said only of what really came more than `windowMs` after a later one.
 *
 * `killed`: processes that were ended by force; what they ran may not have ended when it ran again.
 */
export function disorder(
  runs: readonly Run[],
  delivered: ReadonlyMap<string, Delivered>,
  { windowMs, killed = [] }: { windowMs: number; killed?: readonly number[] },
): string[] {
  const problems: string[] = [];
  for (const [stream, lane] of groupBy(runs, ({ stream }) => stream)) {
    let furthest = -1;
    for (const [at, run] of lane.entries()) {
      const before = lane[at - 1];
      const say = (what: string) => problems.push(`${keyOf(run)} (pid ${run.pid}) ${what}`);
      if (run.n < furthest !== run.late) say(`after ${furthest}, late: ${run.late}`);
      if (run.late && !cameLate(stream, run.n, delivered, windowMs)) say('is late, but came within the window');
      if (before && run.fence <= before.fence) say(`has fence ${run.fence} after ${before.fence}`);
      furthest = Math.max(furthest, run.n);
    }
  }
  return [...problems, ...overlaps(runs, killed)];
}

/** Runs that started before the one before them in their lane had ended, unless that one's process was killed. */
export function overlaps(runs: readonly Run[], killed: readonly number[] = []): string[] {
  return [...groupBy(runs, ({ stream }) => stream).values()].flatMap((lane) =>
    lane.flatMap((run, at) => {
      const before = lane[at - 1];
      if (run.alone || before === undefined || killed.includes(before.pid)) return [];
      return [`${keyOf(run)} (pid ${run.pid}) started beside ${keyOf(before)} (pid ${before.pid})`];
    }),
  );
}

function cameLate(stream: string, n: number, delivered: ReadonlyMap<string, Delivered>, windowMs: number): boolean {
  const answeredAt = delivered.get(keyOf({ stream, n }))?.answeredAt ?? Number.POSITIVE_INFINITY;
  return [...delivered.values()].some(
    ({ planned, sentAt }) => planned.stream === stream && planned.n > n && answeredAt - sentAt >= windowMs,
  );
}

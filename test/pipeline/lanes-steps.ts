import { expect } from '@jest/globals';
import type { Dispatch } from '../../src/pipeline/scripts.js';
import type { Afterwards } from './lanes-command.js';
import * as spec from './lanes-model.js';
import { type Model, type ModelDispatch, PARKING_HANDLER } from './lanes-model.js';
import type { World } from './lanes-world.js';
import * as real from './lanes-world.js';

const asText = (dispatches: readonly (Dispatch | ModelDispatch)[]) =>
  dispatches.map(({ handler, stream, id, how }) => `${how} ${handler} ${stream} ${id}`).sort();

export async function carryOut(model: Model, world: World, dispatch: Dispatch): Promise<void> {
  const { handler, id, how } = dispatch;
  const job = spec.jobOf(model, handler, id);
  if (how === 'add') {
    if (!job) spec.addJob(model, handler, id);
    return real.addDelivery(world, dispatch);
  }
  const from = how === 'retry' ? 'failed' : 'completed';
  if (job?.state === from) Object.assign(job, { state: 'queued', lock: undefined });
  return real.retryDelivery(world, dispatch, from);
}

export async function dispatched(
  m: Model,
  w: World,
  got: Dispatch[],
  wanted: ModelDispatch[],
  what: Afterwards,
): Promise<void> {
  expect(asText(got)).toEqual(asText(wanted));
  if (what === 'postpone') m.postponed.push(...got);
  if (what === 'dispatch') for (const one of got) await carryOut(m, w, one);
}

/** BullMQ ends a run's job, if that run still has the lock. */
async function finish(
  m: Model,
  w: World,
  run: { handler: string; id: string; fence?: number },
  to: 'failed' | 'completed',
) {
  const job = spec.jobOf(m, run.handler, run.id);
  if (job?.state !== 'queued' || job.lock !== run.fence) return;
  job.state = to;
  await real.finishDelivery(w, run.handler, run.id, to);
}

export function queuedJobs(m: Model): { handler: string; stream: string; id: string }[] {
  return [...m.jobs].flatMap(([key, { state }]) => {
    const [handler, id] = key.split(' ') as [string, string];
    return state === 'queued' ? [{ handler, id, stream: m.notifications.get(id)?.stream as string }] : [];
  });
}

export type QueuedJob = ReturnType<typeof queuedJobs>[number];

/** A job is run: the first time, again after a back-off, or again because its worker seems dead. */
export async function runClaim(m: Model, w: World, job: QueuedJob, what: Afterwards) {
  const { handler, stream, id } = job;
  const wanted = spec.claim(m, handler, stream, id);
  const got = await w.scripts.claim(handler, stream, id);
  expect(got.state).toBe(wanted.state);
  const mine = spec.jobOf(m, handler, id) as spec.ModelJob;
  mine.lock = undefined;
  if (wanted.state === 'run' && got.state === 'run') {
    expect(got).toMatchObject({ fence: wanted.fence, late: wanted.late, replays: wanted.replays });
    mine.lock = wanted.fence;
    m.runs.push({ handler, stream, id, fence: wanted.fence });
  } else if (wanted.state === 'gone') {
    const run = { handler, stream, id, fence: wanted.fence };
    mine.lock = run.fence;
    await runAdvance(m, w, run, { done: false, what, dies: false });
  } else if ('dispatch' in wanted && 'dispatch' in got) {
    await dispatched(m, w, got.dispatch, wanted.dispatch, what);
    await finish(m, w, { handler, id }, wanted.state === 'skip' ? 'completed' : 'failed');
  }
}

export async function runAdvance(
  m: Model,
  w: World,
  run: spec.ModelRun,
  { done, what, dies }: { done: boolean; what: Afterwards; dies: boolean },
): Promise<void> {
  const { handler, stream, id, fence } = run;
  const outcome = done
    ? ({ done } as const)
    : ({ done, park: handler === PARKING_HANDLER, reason: 'failed for good' } as const);
  const wanted = spec.advance(m, run, done);
  const got = await w.scripts.advance(handler, stream, id, fence, outcome);
  expect(got.superseded).toBe(wanted.superseded);
  await dispatched(m, w, got.dispatch, wanted.dispatch, what);
  if (!dies && what !== 'crash') await finish(m, w, run, done ? 'completed' : 'failed');
}

export async function runSweep(m: Model, w: World, handler: string, what: Afterwards): Promise<void> {
  const wanted = spec.sweep(m, handler);
  const park = handler === PARKING_HANDLER;
  const got = await w.scripts.sweep(handler, { chosenBefore: Date.now() + 1000, limit: 100, park });
  await dispatched(m, w, got, wanted, what);
  if (what !== 'dispatch') return;
  for (const lane of m.lanes.values()) {
    if (lane.handler !== handler || lane.inFlight === undefined || lane.parked) continue;
    expect(spec.jobOf(m, handler, lane.inFlight)?.state).toBe('queued');
  }
}

import { expect } from '@jest/globals';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { removeHandler as removeHandlerForReal } from '../../src/pipeline/handler-admin.js';
import { score } from '../../src/pipeline/score.js';
import type { Dispatch } from '../../src/pipeline/scripts.js';
import { MOST_CRASHES } from '../../src/pipeline/worker-options.js';
import * as spec from './lanes-model.js';
import { HANDLERS, type Model, type ModelDispatch, type ModelNotification, PARKING_HANDLER } from './lanes-model.js';
import * as real from './lanes-world.js';
import { WINDOW_MS, type World } from './lanes-world.js';

export type Command = fc.AsyncCommand<Model, World>;
/** What becomes of the dispatches that a script gave to its caller. */
type Then = 'dispatch' | 'crash' | 'postpone';

const EPOCH = 1_790_000_000_000;
const STREAMS = ['a', 'b'];
const then = fc.constantFrom<Then>('dispatch', 'dispatch', 'dispatch', 'crash', 'postpone');
const pick = fc.nat({ max: 50 });

/** Runs on model and Redis, compares what both answered, and then all they keep. */
function command(name: string, check: (m: Model) => boolean, run: (m: Model, w: World) => Promise<void>): Command {
  return {
    check,
    async run(model, world) {
      await run(model, world);
      expect(await real.actualState(world, model)).toEqual(real.expectedState(model));
    },
    toString: () => name,
  };
}

const chosen = <Value>(values: Iterable<Value>, nth: number): Value | undefined => {
  const all = [...values];
  return all[nth % Math.max(1, all.length)];
};
const asText = (dispatches: readonly (Dispatch | ModelDispatch)[]) =>
  dispatches.map(({ handler, stream, id, how }) => `${how} ${handler} ${stream} ${id}`).sort();

async function carryOut(model: Model, world: World, dispatch: Dispatch): Promise<void> {
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

async function dispatched(m: Model, w: World, got: Dispatch[], wanted: ModelDispatch[], what: Then): Promise<void> {
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

const arrive = fc
  .record({
    stream: fc.constantFrom(...STREAMS, ...STREAMS, ...STREAMS, 'alone'),
    kind: fc.constantFrom('started', 'live', 'live', 'ended', 'started,ended'),
    offset: fc.integer({ min: 0, max: 6 }),
    overdue: fc.boolean(),
    index: fc.constantFrom(true, true, true, false),
    job: fc.constantFrom(true, true, true, true, false),
  })
  .map(({ stream, kind, offset, overdue, index, job }) =>
    command(
      `arrive(${kind} of ${stream} at ${offset}, ${overdue ? 'overdue' : 'fresh'}, index ${index}, job ${job})`,
      (m) => m.notifications.size < 14,
      async (m, w) => {
        const alone = stream === 'alone';
        const id = uuidv7({ msecs: Date.now() - (overdue ? 2 * WINDOW_MS : 0) });
        const one: ModelNotification = {
          id,
          kind,
          stream: alone ? id : stream,
          score: score(EPOCH + offset, kind),
          alone,
          overdue,
          job: job || alone ? 'held' : 'absent',
          indexed: (index || !job) && !alone,
          kept: false,
          expired: false,
        };
        m.notifications.set(id, one);
        if (one.indexed) await real.putIndex(w, one);
        if (one.job === 'held') await real.putHeldJob(w, one);
      },
    ),
  );

/** The job of one that was half written; or a job that is added again, so late that its identity is forgotten. */
const jobFollows = pick.map((nth) => {
  const candidates = (m: Model) =>
    [...m.notifications.values()].filter(({ job, expired }) => job === 'absent' && !expired);
  return command(
    `job follows(${nth})`,
    (m) => candidates(m).length > 0,
    async (m, w) => {
      const one = chosen(candidates(m), nth) as ModelNotification;
      one.job = 'held';
      await real.putHeldJob(w, one);
    },
  );
});

const release = fc.tuple(pick, fc.constantFrom('wait', 'go'), then, fc.boolean()).map(([nth, hold, what, dies]) => {
  const candidates = (m: Model) => [...m.notifications.values()].filter(({ job }) => job !== 'absent');
  return command(
    `release(${nth}, ${hold}, ${what}${dies ? ', dies' : ''})`,
    (m) => candidates(m).length > 0,
    async (m, w) => {
      const one = chosen(candidates(m), nth) as ModelNotification;
      const mode = one.alone ? 'alone' : (hold as 'wait' | 'go');
      const wanted = spec.release(m, one, mode);
      const { id, kind, stream, score: at } = one;
      const own = { id, kind, stream, score: at, mode, reorderWindowMs: WINDOW_MS, streamRetentionS: 1000 } as const;
      const got = await w.scripts.release(own);
      expect(got.state).toBe(wanted === 'wait' ? 'wait' : 'released');
      if (got.state === 'wait' || wanted === 'wait') return;
      await dispatched(m, w, got.dispatch, wanted, what);
      if (dies || what === 'crash') return;
      one.job = 'absent';
      await w.redis.del(real.heldJobKey(w, id));
    },
  );
});

const subscribe = fc
  .tuple(fc.constantFrom(...HANDLERS), fc.constantFrom('*', '*', 'started,ended', 'live', 'start,liv', undefined))
  .map(([handler, kinds]) =>
    command(
      `subscribe(${handler}, ${kinds ?? 'nothing'})`,
      () => true,
      async (m, w) => {
        if (kinds === undefined) {
          m.subscriptions.delete(handler);
          await w.redis.hdel(w.keys.handlers, handler);
        } else {
          m.subscriptions.set(handler, kinds);
          await w.redis.hset(w.keys.handlers, handler, kinds);
        }
      },
    ),
  );

export function queuedJobs(m: Model): { handler: string; stream: string; id: string }[] {
  return [...m.jobs].flatMap(([key, { state }]) => {
    const [handler, id] = key.split(' ') as [string, string];
    return state === 'queued' ? [{ handler, id, stream: m.notifications.get(id)?.stream as string }] : [];
  });
}

/** A job is run: the first time, again after a back-off, or again because its worker seems dead. */
export async function runClaim(m: Model, w: World, job: ReturnType<typeof queuedJobs>[number], what: Then) {
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

const claim = fc.tuple(pick, then).map(([nth, what]) =>
  command(
    `claim(${nth}, ${what})`,
    (m) => queuedJobs(m).length > 0,
    (m, w) => runClaim(m, w, chosen(queuedJobs(m), nth) as ReturnType<typeof queuedJobs>[number], what),
  ),
);

export async function runAdvance(
  m: Model,
  w: World,
  run: spec.ModelRun,
  { done, what, dies }: { done: boolean; what: Then; dies: boolean },
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

/** A run ends: for good, or because its process dies, or with attempts left. */
const advance = fc
  .tuple(pick, fc.constantFrom('done', 'done', 'done', 'failed', 'failed', 'nothing'), then, fc.boolean(), fc.boolean())
  .map(([nth, outcome, what, dies, again]) =>
    command(
      `advance(${nth}, ${outcome}, ${what}${dies ? ', dies' : ''}${again ? ', again' : ''})`,
      (m) => m.runs.length > 0,
      async (m, w) => {
        const run = chosen(m.runs, nth) as spec.ModelRun;
        // Said twice where the first answer was lost.
        if (!again) m.runs = m.runs.filter((one) => one !== run);
        if (outcome !== 'nothing') await runAdvance(m, w, run, { done: outcome === 'done', what, dies });
      },
    ),
  );

/** What mostly happens: a delivery is run and ends, well or not, and nobody dies. */
const deliver = fc.tuple(pick, fc.boolean()).map(([nth, done]) =>
  command(
    `deliver(${nth}, ${done ? 'done' : 'failed'})`,
    (m) => queuedJobs(m).length > 0,
    async (m, w) => {
      const before = new Set(m.runs);
      await runClaim(m, w, chosen(queuedJobs(m), nth) as ReturnType<typeof queuedJobs>[number], 'dispatch');
      const run = m.runs.find((one) => !before.has(one));
      if (!run) return;
      m.runs = m.runs.filter((one) => one !== run);
      await runAdvance(m, w, run, { done, what: 'dispatch', dies: false });
    },
  ),
);

/** BullMQ gives a job up whose workers were lost too often; its last run may go on all the same. */
const crashTooOften = pick.map((nth) =>
  command(
    `crash too often(${nth})`,
    (m) => queuedJobs(m).length > 0,
    async (m, w) => {
      const { handler, id } = chosen(queuedJobs(m), nth) as ReturnType<typeof queuedJobs>[number];
      Object.assign(spec.jobOf(m, handler, id) as spec.ModelJob, { state: 'failed', crashed: true, lock: undefined });
      await real.crashDelivery(w, handler, id, spec.CRASHED, MOST_CRASHES + 1);
    },
  ),
);

/** Somebody retries or reruns a job behind the lanes' back, or carries out what was right long ago. */
const stray = fc.tuple(pick, fc.constantFrom<'retry' | 'rerun'>('retry', 'rerun')).map(([nth, how]) => {
  const candidates = (m: Model) =>
    [...m.jobs].filter(([, { state }]) => state === (how === 'retry' ? 'failed' : 'completed'));
  return command(
    `stray ${how}(${nth})`,
    (m) => candidates(m).length > 0,
    (m, w) => {
      const [handler, id] = (chosen(candidates(m), nth)?.[0] ?? '').split(' ') as [string, string];
      return carryOut(m, w, { handler, id, stream: m.notifications.get(id)?.stream as string, how });
    },
  );
});

const carryOutPostponed = pick.map((nth) =>
  command(
    `carry out what was postponed(${nth})`,
    (m) => m.postponed.length > 0,
    async (m, w) => {
      const one = chosen(m.postponed, nth) as ModelDispatch;
      m.postponed = m.postponed.filter((other) => other !== one);
      // Its handler may be gone.
      if (spec.laneOf(m, one.handler, one.stream).entries.size > 0) await carryOut(m, w, one);
    },
  ),
);

const idsOf = (m: Model, { stream }: spec.ModelLane) =>
  [...m.notifications.values()]
    .filter((one) => one.stream === stream && one.kept)
    .sort((a, b) => a.score - b.score)
    .map(({ id }) => id);

const someOf = (ids: string[], mask: number) => ids.filter((_, at) => ((mask + 1) >> (at % 5)) & 1);

const replay = fc.tuple(pick, fc.nat({ max: 30 }), then).map(([nth, mask, what]) =>
  command(
    `replay(${nth}, ${mask}, ${what})`,
    (m) => m.lanes.size > 0,
    async (m, w) => {
      const lane = chosen(m.lanes.values(), nth) as spec.ModelLane;
      const ids = someOf(idsOf(m, lane), mask);
      const deliveries = ids.map((id) => ({ id, score: m.notifications.get(id)?.score as number }));
      const wanted = spec.replay(m, lane, ids);
      const got = await w.scripts.replay(lane.handler, lane.stream, deliveries);
      expect(got).toMatchObject({ replayed: wanted.replayed, lost: wanted.lost });
      await dispatched(m, w, got.dispatch, wanted.dispatch, what);
    },
  ),
);

const discard = fc.tuple(pick, fc.nat({ max: 30 }), fc.boolean(), then).map(([nth, mask, leaveWaiting, what]) =>
  command(
    `discard(${nth}, ${mask}, ${leaveWaiting ? 'leave what waits' : 'all'}, ${what})`,
    (m) => m.lanes.size > 0,
    async (m, w) => {
      const lane = chosen(m.lanes.values(), nth) as spec.ModelLane;
      const ids = someOf(idsOf(m, lane), mask);
      const wanted = spec.discard(m, lane, ids, leaveWaiting);
      const got = await w.scripts.discard(lane.handler, lane.stream, ids, { leaveWaiting });
      expect(got.discarded).toEqual(wanted.discarded);
      await dispatched(m, w, got.dispatch, wanted.dispatch, what);
      if (what === 'crash') return;
      for (const id of got.discarded) {
        // A dispatch of before may have taken it away.
        if (spec.jobOf(m, lane.handler, id)?.state !== 'failed') continue;
        spec.removeJob(m, lane.handler, id);
        await real.removeDelivery(w, lane.handler, id);
      }
    },
  ),
);

export async function runSweep(m: Model, w: World, handler: string, what: Then): Promise<void> {
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

const sweep = fc.tuple(fc.constantFrom(...HANDLERS), then).map(([handler, what]) =>
  command(
    `sweep(${handler}, ${what})`,
    () => true,
    (m, w) => runSweep(m, w, handler, what),
  ),
);

const removeHandler = fc.constantFrom(...HANDLERS).map((handler) =>
  command(
    `remove(${handler})`,
    (m) => m.subscriptions.has(handler),
    async (m, w) => {
      const lanes = [...m.lanes.values()].filter((lane) => lane.handler === handler);
      const failed = [...m.jobs].filter(([key, { state }]) => key.startsWith(`${handler} `) && state === 'failed');
      const gone = new Set(failed.map(([key]) => key.slice(handler.length + 1)));
      const waiting = lanes.flatMap(({ entries }) => [...entries.keys()]).filter((id) => !gone.has(id));
      const discarded = failed.filter(([, job]) => job.discarded).length;
      spec.removeHandler(m, handler);
      const removed = await removeHandlerForReal(w, handler);
      expect(removed).toEqual({ waiting: waiting.length, failed: gone.size - discarded });
    },
  ),
);

/** Its time is over: Redis removes it. */
const expire = pick.map((nth) => {
  const candidates = (m: Model) =>
    [...m.notifications.values()].filter(
      ({ id, kept, job }) => kept && job === 'absent' && spec.countOf(m, id).pending === 0,
    );
  return command(
    `expire(${nth})`,
    (m) => candidates(m).length > 0,
    async (m, w) => {
      const one = chosen(candidates(m), nth) as ModelNotification;
      one.kept = false;
      one.expired = true;
      expect(await w.redis.ttl(w.keys.notification(one.id))).toBeGreaterThan(0);
      await w.redis.del(w.keys.notification(one.id));
    },
  );
});

export const commands = [
  arrive,
  arrive,
  jobFollows,
  release,
  release,
  subscribe,
  deliver,
  deliver,
  deliver,
  claim,
  claim,
  advance,
  advance,
  crashTooOften,
  stray,
  carryOutPostponed,
  replay,
  discard,
  sweep,
  removeHandler,
  expire,
];

import { expect } from '@jest/globals';
import fc from 'fast-check';
import { removeHandler as removeHandlerForReal } from '../../src/pipeline/handler-admin.js';
import { MOST_CRASHES } from '../../src/pipeline/worker-options.js';
import { afterwards, chosen, command, pick } from './lanes-command.js';
import * as spec from './lanes-model.js';
import { HANDLERS, type Model, type ModelDispatch, type ModelNotification } from './lanes-model.js';
import { carryOut, dispatched, type QueuedJob, queuedJobs } from './lanes-steps.js';
import * as real from './lanes-world.js';

// What happens to the lanes from outside: people, BullMQ's own verdicts, time.

/** BullMQ gives a job up whose workers were lost too often; its last run may go on all the same. */
export const crashTooOften = pick.map((nth) =>
  command(
    `crash too often(${nth})`,
    (m) => queuedJobs(m).length > 0,
    async (m, w) => {
      const { handler, id } = chosen(queuedJobs(m), nth) as QueuedJob;
      Object.assign(spec.jobOf(m, handler, id) as spec.ModelJob, { state: 'failed', crashed: true, lock: undefined });
      await real.crashDelivery(w, handler, id, spec.CRASHED, MOST_CRASHES + 1);
    },
  ),
);

/** Somebody retries or reruns a job behind the lanes' back, or carries out what was right long ago. */
export const stray = fc.tuple(pick, fc.constantFrom<'retry' | 'rerun'>('retry', 'rerun')).map(([nth, how]) => {
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

export const carryOutPostponed = pick.map((nth) =>
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

export const replay = fc.tuple(pick, fc.nat({ max: 30 }), afterwards).map(([nth, mask, what]) =>
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

export const discard = fc
  .tuple(pick, fc.nat({ max: 30 }), fc.boolean(), afterwards)
  .map(([nth, mask, leaveWaiting, what]) =>
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

export const removeHandler = fc.constantFrom(...HANDLERS).map((handler) =>
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
export const expire = pick.map((nth) => {
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

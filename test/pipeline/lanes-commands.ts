import { expect } from '@jest/globals';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { score } from '../../src/pipeline/score.js';
import { afterwards, chosen, command, pick } from './lanes-command.js';
import {
  carryOutPostponed,
  crashTooOften,
  discard,
  expire,
  removeHandler,
  replay,
  stray,
} from './lanes-interventions.js';
import * as spec from './lanes-model.js';
import { HANDLERS, type Model, type ModelNotification } from './lanes-model.js';
import { dispatched, type QueuedJob, queuedJobs, runAdvance, runClaim, runSweep } from './lanes-steps.js';
import * as real from './lanes-world.js';
import { WINDOW_MS } from './lanes-world.js';

// What intake and workers do to the lanes.

const EPOCH = 1_790_000_000_000;

const STREAMS = ['a', 'b'];

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

const release = fc
  .tuple(pick, fc.constantFrom('wait', 'go'), afterwards, fc.boolean())
  .map(([nth, hold, what, dies]) => {
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

const claim = fc.tuple(pick, afterwards).map(([nth, what]) =>
  command(
    `claim(${nth}, ${what})`,
    (m) => queuedJobs(m).length > 0,
    (m, w) => runClaim(m, w, chosen(queuedJobs(m), nth) as QueuedJob, what),
  ),
);

/** A run ends: for good, or because its process dies, or with attempts left. */
const advance = fc
  .tuple(
    pick,
    fc.constantFrom('done', 'done', 'done', 'failed', 'failed', 'nothing'),
    afterwards,
    fc.boolean(),
    fc.boolean(),
  )
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
      await runClaim(m, w, chosen(queuedJobs(m), nth) as QueuedJob, 'dispatch');
      const run = m.runs.find((one) => !before.has(one));
      if (!run) return;
      m.runs = m.runs.filter((one) => one !== run);
      await runAdvance(m, w, run, { done, what: 'dispatch', dies: false });
    },
  ),
);

const sweep = fc.tuple(fc.constantFrom(...HANDLERS), afterwards).map(([handler, what]) =>
  command(
    `sweep(${handler}, ${what})`,
    () => true,
    (m, w) => runSweep(m, w, handler, what),
  ),
);

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

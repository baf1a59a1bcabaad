/**
 * What the lanes' scripts are meant to do, in plain TypeScript: nothing of Redis, and nothing of how the scripts do it.
 * Beside it: `lanes-world.ts`, the same on a real Redis; `lanes-steps.ts`, one step in both, compared; `lanes-commands.ts`
 * and `lanes-interventions.ts`, what may happen.
 */

/** A notification, its job in the queue `notifications`, and what is kept of it once it was released. */
export interface ModelNotification {
  readonly id: string;
  readonly kind: string;
  readonly stream: string;
  readonly score: number;
  readonly alone: boolean;
  /** Received so long ago that its window is over; else its window has just begun. */
  readonly overdue: boolean;
  job: 'absent' | 'held' | 'released';
  indexed: boolean;
  /** Released once, and still kept. */
  kept: boolean;
  /** Kept for its time, and no longer. */
  expired: boolean;
}

export interface ModelLane {
  readonly handler: string;
  readonly stream: string;
  /** Deliveries not yet done: id to score. */
  readonly entries: Map<string, number>;
  inFlight?: string | undefined;
  fence?: number | undefined;
  parked: boolean;
  /** The latest score handed over. */
  last?: number | undefined;
}

/** A delivery's job, as BullMQ has it. `queued` is all of waiting, delayed and active. */
export interface ModelJob {
  state: 'queued' | 'failed' | 'completed';
  /** Failed for taking its worker down too often. */
  crashed: boolean;
  exhausted?: string | undefined;
  discarded: boolean;
  replays: number;
  /** Of the run that has BullMQ's lock. */
  lock?: number | undefined;
}

export interface ModelRun {
  readonly handler: string;
  readonly stream: string;
  readonly id: string;
  readonly fence: number;
}

export interface ModelDispatch {
  handler: string;
  stream: string;
  id: string;
  how: 'add' | 'retry' | 'rerun';
}

export type Where = 'lane' | 'done' | 'failed' | 'discarded' | 'dropped';

export interface Model {
  readonly notifications: Map<string, ModelNotification>;
  /** Handler to the kinds it subscribes to, or `*`. */
  readonly subscriptions: Map<string, string>;
  readonly openStreams: Set<string>;
  readonly lanes: Map<string, ModelLane>;
  readonly jobs: Map<string, ModelJob>;
  /** What became of each delivery: the reality that counters are compared with. */
  readonly deliveries: Map<string, Where>;
  fence: number;
  /** Runs that have not ended, the superseded among them. */
  runs: ModelRun[];
  /** Dispatches that somebody has in hand and has not carried out. */
  postponed: ModelDispatch[];
}

export const PARKING_HANDLER = 'parks';
export const HANDLERS = ['goes-on', PARKING_HANDLER] as const;

export function createModel(): Model {
  return {
    notifications: new Map(),
    subscriptions: new Map(),
    openStreams: new Set(),
    lanes: new Map(),
    jobs: new Map(),
    deliveries: new Map(),
    fence: 0,
    runs: [],
    postponed: [],
  };
}

const pair = (handler: string, of: string) => `${handler} ${of}`;

export function laneOf(model: Model, handler: string, stream: string): ModelLane {
  const known = model.lanes.get(pair(handler, stream));
  if (known) return known;
  const lane = { handler, stream, entries: new Map<string, number>(), parked: false };
  model.lanes.set(pair(handler, stream), lane);
  return lane;
}

export const jobOf = (model: Model, handler: string, id: string) => model.jobs.get(pair(handler, id));
export const addJob = (model: Model, handler: string, id: string) =>
  model.jobs.set(pair(handler, id), { state: 'queued', crashed: false, discarded: false, replays: 0 });
export const removeJob = (model: Model, handler: string, id: string) => model.jobs.delete(pair(handler, id));

/** How many lanes a notification is in, and how many of its deliveries have failed. */
export function countOf(model: Model, id: string): { pending: number; failed: number } {
  const all = [...model.deliveries].filter(([key]) => key.endsWith(` ${id}`)).map(([, where]) => where);
  return {
    pending: all.filter((where) => where === 'lane').length,
    failed: all.filter((where) => where === 'failed').length,
  };
}

const byPlace = ([a, scoreA]: [string, number], [b, scoreB]: [string, number]) => scoreA - scoreB || (a < b ? -1 : 1);

function choose(lane: ModelLane): void {
  lane.fence = undefined;
  lane.parked = false;
  lane.inFlight = [...lane.entries].sort(byPlace)[0]?.[0];
}

function place(model: Model, lane: ModelLane, id: string, score: number): void {
  lane.entries.set(id, score);
  model.deliveries.set(pair(lane.handler, id), 'lane');
}

function leave(model: Model, lane: ModelLane, id: string, where: Where): void {
  lane.entries.delete(id);
  model.deliveries.set(pair(lane.handler, id), where);
}

/** What the delivery in flight needs to run, if anything. */
function missing(model: Model, lane: ModelLane): ModelDispatch[] {
  const { handler, stream, inFlight: id } = lane;
  if (id === undefined || lane.parked) return [];
  const job = jobOf(model, handler, id);
  if (!job) return [{ handler, stream, id, how: 'add' }];
  if (job.state === 'completed') return [{ handler, stream, id, how: 'rerun' }];
  return job.state === 'failed' && !job.crashed ? [{ handler, stream, id, how: 'retry' }] : [];
}

/** A delivery in flight is given up for good. */
function exhaust(model: Model, lane: ModelLane, id: string, reason: string): void {
  const job = jobOf(model, lane.handler, id);
  if (job) job.exhausted = reason;
  if (lane.handler === PARKING_HANDLER) {
    lane.parked = true;
    lane.fence = undefined;
    return;
  }
  leave(model, lane, id, 'failed');
  choose(lane);
}

export function release(model: Model, own: ModelNotification, mode: 'wait' | 'go' | 'alone'): 'wait' | ModelDispatch[] {
  const isOpen = mode === 'alone' || model.openStreams.has(own.stream);
  if (!isOpen && own.kind !== 'started' && mode === 'wait' && own.job !== 'released') return 'wait';
  if (mode !== 'alone') model.openStreams.add(own.stream);

  const held = [...model.notifications.values()].filter(({ stream, indexed }) => stream === own.stream && indexed);
  const freed = own.kind === 'started' && !isOpen ? held.filter(({ overdue }) => overdue) : [];
  const upTo = Math.max(own.score, ...freed.map(({ score }) => score));
  let moved = false;
  const touched = new Set<ModelLane>();
  for (const notification of new Set([...held.filter(({ score }) => score <= upTo), own])) {
    // One without a job was half written, or is a repeat: if it is fresh its job may still come.
    if (notification.job !== 'absent' || notification.overdue) notification.indexed = false;
    if (notification.job !== 'held') continue;
    notification.job = 'released';
    if (notification.kept) continue;
    notification.kept = true;
    moved = true;
    for (const [handler, kinds] of model.subscriptions) {
      if (kinds !== '*' && !kinds.split(',').includes(notification.kind)) continue;
      const lane = laneOf(model, handler, own.stream);
      place(model, lane, notification.id, notification.score);
      touched.add(lane);
    }
  }
  return [...model.subscriptions.keys()].flatMap((handler) => {
    const lane = laneOf(model, handler, own.stream);
    if (moved && !touched.has(lane)) return [];
    if (lane.inFlight === undefined) choose(lane);
    return missing(model, lane);
  });
}

export type ModelClaim =
  | { state: 'run'; fence: number; late: boolean; replays: number }
  | { state: 'exhausted'; reason: string; dispatch: ModelDispatch[] }
  | { state: 'gone'; fence: number }
  | { state: 'skip'; dispatch: ModelDispatch[] };

export function claim(model: Model, handler: string, stream: string, id: string): ModelClaim {
  const lane = laneOf(model, handler, stream);
  const job = jobOf(model, handler, id);
  if (job?.exhausted !== undefined) {
    return { state: 'exhausted', reason: job.exhausted, dispatch: missing(model, lane) };
  }
  if (lane.inFlight !== id) return { state: 'skip', dispatch: missing(model, lane) };
  lane.fence = ++model.fence;
  if (!model.notifications.get(id)?.kept) return { state: 'gone', fence: lane.fence };
  const score = lane.entries.get(id) as number;
  const late = lane.last !== undefined && score < lane.last;
  if (!late) lane.last = score;
  return { state: 'run', fence: lane.fence, late, replays: job?.replays ?? 0 };
}

export function advance(
  model: Model,
  { handler, stream, id, fence }: ModelRun,
  done: boolean,
): { superseded: boolean; dispatch: ModelDispatch[] } {
  const lane = laneOf(model, handler, stream);
  const superseded = lane.inFlight !== id || lane.fence !== fence;
  if (!superseded && done) {
    leave(model, lane, id, 'done');
    choose(lane);
  } else if (!superseded) {
    exhaust(model, lane, id, 'failed for good');
  }
  return { superseded, dispatch: missing(model, lane) };
}

export function replay(
  model: Model,
  lane: ModelLane,
  ids: readonly string[],
): { replayed: number; lost: number; dispatch: ModelDispatch[] } {
  const result = { replayed: 0, lost: 0 };
  for (const id of ids) {
    const job = jobOf(model, lane.handler, id);
    if (job?.state !== 'failed' || job.discarded) continue;
    const notification = model.notifications.get(id) as ModelNotification;
    const holdsUp = lane.inFlight === id && lane.parked;
    if (!notification.kept) result.lost++;
    else if (holdsUp || !lane.entries.has(id)) {
      if (!holdsUp) place(model, lane, id, notification.score);
      lane.parked = holdsUp ? false : lane.parked;
      job.exhausted = undefined;
      job.crashed = false;
      job.replays++;
      result.replayed++;
    }
  }
  if (lane.inFlight === undefined) choose(lane);
  return { ...result, dispatch: missing(model, lane) };
}

export function discard(
  model: Model,
  lane: ModelLane,
  ids: readonly string[],
  leaveWaiting: boolean,
): { discarded: string[]; dispatch: ModelDispatch[] } {
  const discarded = ids.filter((id) => {
    const job = jobOf(model, lane.handler, id);
    const waits = lane.entries.has(id);
    if (job?.state !== 'failed' || (waits && leaveWaiting)) return false;
    // One may be done, and its job fail all the same: its worker was lost too often before it could say so.
    const done = model.deliveries.get(pair(lane.handler, id)) === 'done';
    if (!job.discarded && !done) {
      leave(model, lane, id, 'discarded');
      if (lane.inFlight === id) choose(lane);
    }
    job.discarded = true;
    return true;
  });
  return { discarded, dispatch: missing(model, lane) };
}

export function sweep(model: Model, handler: string): ModelDispatch[] {
  const lanes = [...model.lanes.values()].filter((lane) => lane.handler === handler && lane.entries.size > 0);
  return lanes.flatMap((lane) => {
    const job = lane.inFlight === undefined ? undefined : jobOf(model, handler, lane.inFlight);
    if (job?.state === 'failed' && job.crashed && !lane.parked) exhaust(model, lane, lane.inFlight as string, CRASHED);
    return missing(model, lane);
  });
}

/** BullMQ's reason for a job that took its worker down too often. */
export const CRASHED = 'job stalled more than allowable limit';

/**
 * The handler is removed: its lanes, its jobs, its subscription. What was given up and whose job is not failed yet goes on
 * counting as failed: its notification is kept for longer than it need be, no more.
 */
export function removeHandler(model: Model, handler: string): void {
  model.subscriptions.delete(handler);
  for (const lane of model.lanes.values()) if (lane.handler === handler) model.lanes.delete(pair(handler, lane.stream));
  for (const [key, where] of model.deliveries) {
    const settled = where !== 'failed' || model.jobs.get(key)?.state === 'failed';
    if (key.startsWith(`${handler} `) && settled) model.deliveries.set(key, 'dropped');
  }
  for (const key of [...model.jobs.keys()]) if (key.startsWith(`${handler} `)) model.jobs.delete(key);
}

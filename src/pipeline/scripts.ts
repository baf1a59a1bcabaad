import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { Keys } from './keys.js';
import { MOST_CRASHES } from './worker-options.js';

const SCRIPTS = ['release', 'claim', 'advance', 'replay', 'discard', 'sweep', 'drop'] as const;
type ScriptName = (typeof SCRIPTS)[number];
type Argument = string | number;

/** A delivery in flight whose job is missing, or lies failed or completed: what a script asks its caller to put right. */
export interface Dispatch {
  handler: string;
  stream: string;
  id: string;
  how: 'add' | 'retry' | 'rerun';
}

export type Release = { state: 'wait' } | { state: 'released'; releasedAt: number; dispatch: Dispatch[] };

export type Claim =
  | { state: 'run'; fence: number; late: boolean; data: string; replays: number; attemptsBefore: number }
  | { state: 'exhausted'; reason: string; dispatch: Dispatch[] }
  | { state: 'gone'; fence: number }
  | { state: 'skip'; dispatch: Dispatch[] }
  | { state: 'lost' };

/** What becomes of a lane after a run: done, or failed for good and the stream goes on, or waits. */
export type Outcome = { done: true } | { done: false; park: boolean; reason: string };

export interface Retention {
  /** How long a notification is kept once handled, seconds. */
  eventRetentionS: number;
  /** How long a failed delivery is kept, seconds. */
  failedRetentionS: number;
}

/** The body of a failed delivery outlives its entry in the list by a day, so that the list never shows one without. */
const FAILED_MARGIN_S = 86_400;

/**
 * The lanes' Lua scripts on one connection. Each is atomic, and each may be repeated: what an earlier run did is found
 * done, and only what is still missing is asked for.
 */
export function createScripts(redis: Redis, keys: Keys, retention: Retention) {
  const define = redis as unknown as Record<string, (...args: Argument[]) => Promise<unknown>>;
  const lanes = `local mostCrashes = ${MOST_CRASHES}\n${readLua('lanes')}`;
  for (const name of SCRIPTS) {
    // One key names the hash slot; the others are derived from the prefix and share its tag.
    redis.defineCommand(`sluice:${name}`, { numberOfKeys: 1, lua: `${lanes}\n${readLua(name)}` });
  }
  const run = (name: ScriptName, ...args: Argument[]) =>
    (define[`sluice:${name}`] as (...all: Argument[]) => Promise<unknown>)(
      keys.handlers,
      keys.prefix,
      Date.now(),
      retention.eventRetentionS,
      retention.failedRetentionS + FAILED_MARGIN_S,
      ...args,
    );

  return {
    async release(release: {
      id: string;
      kind: string;
      stream: string;
      score: number;
      mode: 'wait' | 'go' | 'alone';
      reorderWindowMs: number;
      streamRetentionS: number;
    }): Promise<Release> {
      const { id, kind, stream, score, mode, reorderWindowMs, streamRetentionS } = release;
      const reply = await run('release', id, kind, stream, score, mode, reorderWindowMs, streamRetentionS);
      const [state, releasedAt, ...todo] = reply as string[];
      return state === 'wait'
        ? { state }
        : { state: 'released', releasedAt: Number(releasedAt), dispatch: parseDispatch(todo) };
    },

    /** `token`: of the job's lock, where the caller holds it. */
    async claim(handler: string, stream: string, id: string, token = ''): Promise<Claim> {
      const [state, ...rest] = (await run('claim', handler, stream, id, token)) as [Claim['state'], ...string[]];
      if (state === 'lost') return { state };
      if (state === 'skip') return { state, dispatch: parseDispatch(rest) };
      if (state === 'exhausted') return { state, reason: rest[0] ?? '', dispatch: parseDispatch(rest.slice(1)) };
      if (state === 'gone') return { state, fence: Number(rest[0]) };
      const [fence, late, data = '', replays, attemptsBefore] = rest;
      return {
        state,
        fence: Number(fence),
        late: Number(late) === 1,
        data,
        replays: Number(replays),
        attemptsBefore: Number(attemptsBefore),
      };
    },

    async advance(
      handler: string,
      stream: string,
      id: string,
      fence: number,
      outcome: Outcome,
    ): Promise<{ superseded: boolean; dispatch: Dispatch[] }> {
      const how = outcome.done ? 'done' : outcome.park ? 'park' : 'continue';
      const reason = outcome.done ? '' : outcome.reason;
      const [state, ...todo] = (await run('advance', handler, stream, id, fence, how, reason)) as string[];
      return { superseded: state === 'superseded', dispatch: parseDispatch(todo) };
    },

    /** `deliveries` in ascending order of score. */
    async replay(
      handler: string,
      stream: string,
      deliveries: readonly { id: string; score: number }[],
    ): Promise<{ replayed: number; lost: number; dispatch: Dispatch[] }> {
      const args = deliveries.flatMap(({ id, score }) => [id, score]);
      const [replayed, lost, ...todo] = (await run('replay', handler, stream, ...args)) as string[];
      return { replayed: Number(replayed), lost: Number(lost), dispatch: parseDispatch(todo) };
    },

    /** `discarded`: ids whose jobs are to be removed; `count`: how many of them this call has discarded. */
    async discard(
      handler: string,
      stream: string,
      ids: readonly string[],
      { leaveWaiting }: { leaveWaiting: boolean },
    ): Promise<{ discarded: string[]; count: number; dispatch: Dispatch[] }> {
      const reply = await run('discard', handler, stream, leaveWaiting ? '1' : '0', ...ids);
      const [discarded, count, todo] = reply as [string[], number, string[]];
      return { discarded, count, dispatch: parseDispatch(todo) };
    },

    /** Looks at the lanes of a handler whose head was chosen before a time, `limit` at most. */
    async sweep(handler: string, options: { chosenBefore: number; limit: number; park: boolean }): Promise<Dispatch[]> {
      const { chosenBefore, limit, park } = options;
      return parseDispatch((await run('sweep', handler, chosenBefore, limit, park ? '1' : '0')) as string[]);
    },

    async drop(handler: string, stream: string): Promise<number> {
      return Number(await run('drop', handler, stream));
    },
  };
}

export type Scripts = ReturnType<typeof createScripts>;

function readLua(name: string): string {
  return readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), 'utf8');
}

function parseDispatch(todo: readonly string[]): Dispatch[] {
  const dispatches: Dispatch[] = [];
  for (let at = 0; at + 3 < todo.length; at += 4) {
    const [handler, stream, id, how] = todo.slice(at, at + 4) as [string, string, string, Dispatch['how']];
    dispatches.push({ handler, stream, id, how });
  }
  return dispatches;
}

import { notification } from './notifications.js';

/** A notification that a test is going to send: the nth of its stream. */
export interface Planned {
  stream: string;
  n: number;
  /** The body of the nth sending, counted from 0. */
  body(sending: number): string;
}

/** How many streams, and how many notifications each; `data` goes into every payload. */
export interface StreamShape {
  streams: number;
  each: number;
  data?: object;
}

const GAP_MS = 1000;

/**
 * The notifications of some streams, stream by stream and in order: `started`, `live` …, `ended`, `on-demand`. When sent
 * again they come with their tags reordered and a timestamp a little later, as the platform may do.
 */
export function planStreams(options: { name: string } & StreamShape): Planned[] {
  const { name, streams, each } = options;
  const firstAt = Date.now() - each * GAP_MS;
  return Array.from({ length: streams }, (_, stream) =>
    Array.from({ length: each }, (_, n) =>
      plan({
        stream: `${name}-${stream}`,
        n,
        what: kindOf(n, each),
        at: firstAt + n * GAP_MS,
        ...(options.data ? { data: options.data } : {}),
      }),
    ),
  ).flat();
}

/** One notification; `data` goes into its payload. */
export function plan(options: { stream: string; n?: number; what?: string; at?: number; data?: object }): Planned {
  const { stream, n = 0, what = 'started', at = Date.now(), data = {} } = options;
  return {
    stream,
    n,
    body: (sending) => {
      const tags = sending % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
      const tagged = what === 'started' || what === 'ended' ? { tags } : {};
      return JSON.stringify(notification({ what, stream, at: at + sending, data: { ...tagged, n, ...data } }));
    },
  };
}

function kindOf(n: number, each: number): string {
  if (n === 0) return 'started';
  if (n === each - 2) return 'ended';
  return n === each - 1 ? 'on-demand' : 'live';
}

/** Numbers from 0 to 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** In an order of chance, some of them twice. `repeats`: the share of those. */
export function shuffled(planned: readonly Planned[], random: () => number, repeats = 0): Planned[] {
  const all = planned.flatMap((one) => (random() < repeats ? [one, one] : [one]));
  for (let last = all.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1));
    [all[last], all[at]] = [all[at] as Planned, all[last] as Planned];
  }
  return all;
}

/** Portions of whole streams: what is sent together arrives within a window. */
export function portions(planned: readonly Planned[], streamsEach: number): Planned[][] {
  const streams = [...groupBy(planned, ({ stream }) => stream).values()];
  const all: Planned[][] = [];
  for (let at = 0; at < streams.length; at += streamsEach) all.push(streams.slice(at, at + streamsEach).flat());
  return all;
}

/** Items by key, in their order. */
export function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Names a notification: its stream and its number there. */
export function keyOf({ stream, n }: { stream: string; n: number }): string {
  return `${stream}/${n}`;
}

import type { Notification } from '../protocol/notification.js';
import { FACTS, type Fact, tell } from './facts.js';
import { VARIATIONS, type Variation } from './variations.js';

/** The handlers of examples/handlers, and the kinds that each of them is to get. */
export const SUBSCRIPTIONS: Readonly<Record<string, '*' | readonly string[]>> = {
  catalogue: ['started', 'ended'],
  notify: ['live'],
  archive: ['ended', 'on-demand'],
  audit: '*',
};

/** What is behind this handler is away for this stream, for this many attempts. */
export const AWAY = { handler: 'notify', stream: 'keynote', attempts: 2 } as const;
/** What is behind this handler refuses this notification until somebody mends it. */
export const REFUSED = { handler: 'archive', stream: 'concert', what: 'ended' } as const;

/** A request that is going to be sent. */
export interface Sending {
  /** Its place in the order of sending, from 1. */
  number: number;
  /** The kind, and where a stream has two of a kind what tells them apart. */
  name: string;
  notification: Notification;
  /** Seconds after the start of its stream. */
  atS: number;
  /** The number of the one that it repeats; undefined: it tells something new. */
  repeatOf: number | undefined;
  /** Signed by somebody who does not know the secret. */
  forged: boolean;
  /** In words, what is unusual about it. */
  how: string;
}

/** What is sent, in this order: of which stream, which kind, and how it differs where it is not the first of its fact. */
const ORDER: readonly (readonly [stream: string, name: string, variation?: Variation])[] = [
  ['cup-final', 'ended'],
  ['keynote', 'live'],
  ['cup-final', 'live 720p'],
  ['concert', 'on-demand'],
  ['keynote', 'live', 'exact'],
  ['cup-final', 'started'],
  ['concert', 'started'],
  ['keynote', 'started'],
  ['cup-final', 'started', 'tags'],
  ['concert', 'ended', 'forged'],
  ['keynote', 'ended'],
  ['concert', 'live 720p'],
  ['cup-final', 'live'],
  ['keynote', 'ended', 'timestamp'],
  ['concert', 'thumbnail'],
  ['cup-final', 'on-demand'],
  ['keynote', 'on-demand'],
  ['concert', 'ended'],
  ['concert', 'live'],
  ['keynote', 'live 720p'],
  ['concert', 'on-demand', 'exact'],
  ['cup-final', 'ended', 'both'],
];

/** What the demo sends. `startedAt`: when the streams started, milliseconds since the epoch. */
export function planSendings(startedAt: number): Sending[] {
  const numbers = new Map<Fact, number>();
  return ORDER.map(([stream, name, variation], at) => {
    const fact = FACTS.find((one) => one.stream === stream && one.name === name);
    if (!fact) throw new Error(`the plan sends what never happened: ${stream} ${name}`);
    const number = at + 1;
    const { how, change } = VARIATIONS[variation ?? 'exact'];
    const forged = variation === 'forged';
    const first = forged ? undefined : numbers.get(fact);
    if (!forged && first === undefined) numbers.set(fact, number);
    const notification = change(tell(fact, startedAt));
    return {
      number,
      name,
      notification,
      atS: (Date.parse(notification.timestamp) - startedAt) / 1000,
      repeatOf: first,
      forged,
      how: first === undefined ? (forged ? how : describePlace(fact, numbers)) : `#${first} again, ${how}`,
    };
  });
}

function describePlace(fact: Fact, sent: ReadonlyMap<Fact, number>): string {
  const earlier = FACTS.filter((one) => one.stream === fact.stream && one.atS < fact.atS);
  const missing = earlier.filter((one) => !sent.has(one)).sort((one, other) => one.atS - other.atS);
  if (missing.length === 0) return '';
  return `ahead of ${missing.length > 3 ? `the ${missing.length} before it` : missing.map(({ name }) => name).join(', ')}`;
}

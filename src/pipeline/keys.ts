import { createHash } from 'node:crypto';

/** Where every notification is added; what waits here is held. */
export const NOTIFICATIONS_QUEUE = 'notifications';

/** Longer stream ids are named by their hash: a key is no place for a kilobyte. */
const LONGEST_STREAM_IN_KEY = 200;

/** The queue that runs a handler's deliveries. */
export function handlerQueue(handler: string): string {
  return `handler-${handler}`;
}

/** A stream's name in keys, as Redis gives it back: half a surrogate pair is U+FFFD. */
export function streamKey(streamId: string): string {
  const bytes = Buffer.from(streamId);
  return bytes.length <= LONGEST_STREAM_IN_KEY
    ? bytes.toString()
    : `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
}

/**
 * Every key that is not BullMQ's, from the prefix and what it is about. The scripts build the same names.
 *
 * | key | what it holds |
 * |---|---|
 * | `held:<stream>` | sorted set of `<id>\|<kind>` by score: notifications not yet released |
 * | `stream:<stream>` | hash; `open` once its `started` was seen, or waited for in vain |
 * | `notification:<id>` | hash; `data` as received, `pending` lanes it is in, `failed` deliveries of it |
 * | `lane:<handler>:<stream>` | sorted set of ids by score: deliveries not yet done |
 * | `flight:<handler>:<stream>` | hash; `id` in flight, its `fence`, the `last` score handed over, `parked` |
 * | `lanes:<handler>` | sorted set of the streams with a lane, by when its head was chosen |
 * | `handlers` | hash: handler to the kinds it subscribes to |
 * | `workers` | hash: worker to its handlers, host and last sign of life |
 * | `fence` | counter of all runs |
 */
export function createKeys(prefix: string) {
  return {
    prefix,
    held: (stream: string) => `${prefix}:held:${stream}`,
    stream: (stream: string) => `${prefix}:stream:${stream}`,
    notification: (id: string) => `${prefix}:notification:${id}`,
    lane: (handler: string, stream: string) => `${prefix}:lane:${handler}:${stream}`,
    flight: (handler: string, stream: string) => `${prefix}:flight:${handler}:${stream}`,
    lanes: (handler: string) => `${prefix}:lanes:${handler}`,
    handlers: `${prefix}:handlers`,
    workers: `${prefix}:workers`,
    /** A key of a BullMQ queue: a set of jobs by state, or a job by id. */
    queue: (queue: string, part: string) => `${prefix}:${queue}:${part}`,
  };
}

export type Keys = ReturnType<typeof createKeys>;

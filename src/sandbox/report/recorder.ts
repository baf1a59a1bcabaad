import { z } from 'zod';
import type { Notification } from '../../protocol/notification.js';
import type { Delivery } from '../delivery/delivery.js';

const recordSchema = z.object({
  handler: z.string().min(1),
  notification: z.looseObject({ what: z.string(), timestamp: z.string(), data: z.looseObject({}) }),
  id: z.string().optional(),
  late: z.boolean().optional(),
  replayed: z.boolean().optional(),
  on: z.union([z.literal('*'), z.array(z.string())]).optional(),
});

/** What a handler on the receiver's side tells: it has handled a notification. */
export interface HandlingRecord {
  /** Its name. */
  handler: string;
  /** As it got it. */
  notification: Notification;
  /** What it is idempotent by. */
  id?: string | undefined;
  /** Whether it was told that a later one of the stream came before. */
  late?: boolean | undefined;
  /** Whether a person asked for it to be handled again. */
  replayed?: boolean | undefined;
  /** The kinds that it subscribes to; default `*`. */
  on?: '*' | string[] | undefined;
}

/** A record and the delivery that it is about; undefined where no such message was sent. */
export type MatchedRecord = HandlingRecord & { delivery: Delivery | undefined };

export interface Recorder {
  /**
   * @param body a record, or an array of them
   * @returns how many there were
   * @throws TypeError that names the field it cannot take
   */
  record(body: unknown): number;
  /** In the order in which they came. */
  records(): readonly MatchedRecord[];
}

/** @param find the delivery that was sent as a message */
export function createRecorder(find: (message: unknown) => Delivery | undefined): Recorder {
  const records: MatchedRecord[] = [];
  return {
    record(body) {
      const read = z.array(recordSchema).safeParse(Array.isArray(body) ? body : [body]);
      if (!read.success) {
        const issue = read.error.issues[0];
        throw new TypeError(`record ${issue?.path.join('.') ?? ''}: ${issue?.message}`);
      }
      for (const record of read.data as HandlingRecord[]) {
        records.push({ ...record, delivery: find(record.notification) });
      }
      return read.data.length;
    },
    records: () => records,
  };
}

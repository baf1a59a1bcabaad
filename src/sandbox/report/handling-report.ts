import { parseMessageTimestamp } from '../../protocol/timestamps.js';
import { type Delivery, wasAccepted } from '../delivery/delivery.js';
import type { HandlingRecord, MatchedRecord } from './recorder.js';

/** What became of the notifications in one handler on the receiver's side. */
export interface HandlingReport {
  handler: string;
  /** Records that it sent. */
  recorded: number;
  /** Accepted by the receiver, of a kind that it subscribes to, and never handled. */
  lost: number;
  /** Handled once more than once, each time counted; replays that a person asked for aside. */
  handledTwice: number;
  /** Handled after one of its stream with a later timestamp, and told so. */
  outOfOrderFlagged: number;
  /** … and not told so. */
  outOfOrderUnflagged: number;
  /** Said to be late though no later one of its stream was handled before. */
  flaggedInOrder: number;
  /** Of a stream of this run, but not as it was sent. */
  altered: number;
  /** Of streams that are not of this run. */
  foreign: number;
  /** Handled again because a person asked for it. */
  replayed: number;
}

/** @param expected handlers that are reported even if they recorded nothing */
export function reportHandling(
  deliveries: readonly Delivery[],
  records: readonly MatchedRecord[],
  expected: readonly string[],
): HandlingReport[] {
  const handlers = new Set([...expected, ...records.map((record) => record.handler)]);
  return [...handlers].map((handler) =>
    reportHandler(
      handler,
      deliveries,
      records.filter((record) => record.handler === handler),
    ),
  );
}

function reportHandler(
  handler: string,
  deliveries: readonly Delivery[],
  records: readonly MatchedRecord[],
): HandlingReport {
  const report: HandlingReport = {
    handler,
    recorded: records.length,
    lost: 0,
    handledTwice: 0,
    outOfOrderFlagged: 0,
    outOfOrderUnflagged: 0,
    flaggedInOrder: 0,
    altered: 0,
    foreign: 0,
    replayed: 0,
  };
  const streamIds = new Set(deliveries.map((delivery) => delivery.streamId));
  const handled = new Set<Delivery>();
  const newest = new Map<string, number>();
  for (const record of records) {
    const { delivery } = record;
    if (!delivery) report[streamIds.has(String(record.notification.data?.streamId)) ? 'altered' : 'foreign'] += 1;
    else if (record.replayed) report.replayed += 1;
    else if (handled.has(delivery)) report.handledTwice += 1;
    else checkOrder(report, record, newest, delivery.streamId);
    if (delivery) handled.add(delivery);
  }
  const subscription = records.find((record) => record.on !== undefined)?.on ?? '*';
  const subscribed = (delivery: Delivery) => subscription === '*' || subscription.includes(delivery.what);
  const due = deliveries.filter((delivery) => subscribed(delivery) && wasAccepted(delivery));
  report.lost = due.filter((delivery) => !handled.has(delivery)).length;
  return report;
}

/** Order is that of the timestamps as the handler got them: a repeat may have had a new one. */
function checkOrder(
  report: HandlingReport,
  record: HandlingRecord,
  newest: Map<string, number>,
  streamId: string,
): void {
  const timestamp = parseMessageTimestamp(record.notification.timestamp) ?? 0;
  const before = newest.get(streamId) ?? 0;
  if (timestamp >= before) {
    newest.set(streamId, timestamp);
    if (record.late) report.flaggedInOrder += 1;
  } else if (record.late) report.outOfOrderFlagged += 1;
  else report.outOfOrderUnflagged += 1;
}

import { type Delivery, type Evidence, listDeliveries } from './deliveries.js';
import { indent, type Screen, seconds } from './screen.js';

/** Each delivery of a handler that did not go well at once: its attempts, and what went on beside them. */
export function printFailures(evidence: Evidence, handler: string, { print, colors }: Screen): void {
  const startedAt = evidence.sent[0]?.at ?? 0;
  const deliveries = listDeliveries(evidence);
  for (const delivery of deliveries.filter((one) => one.handler === handler && one.attempts.length > 0)) {
    const [first] = delivery.attempts;
    if (!first || first.status < 300) continue;
    const attempts = delivery.attempts.map(({ at, status }) => {
      const result = status < 300 ? colors.green('taken') : colors.yellow(`answered ${status}`);
      return `${seconds(startedAt, at)} ${result}`;
    });
    print(indent(`${nameOf(delivery)}: ${attempts.join(', ')}`));
    const [taken] = delivery.takenAt;
    if (taken !== undefined) print(indent(describeOthers(delivery, deliveries, first.at, taken), 2));
  }
}

function nameOf({ handler, stream, request }: Delivery): string {
  return `${handler}, ${stream}, ${request.name}`;
}

/** What was taken between two times, in this lane and in others. */
function describeOthers(delivery: Delivery, all: readonly Delivery[], from: number, to: number): string {
  const isSameLane = (one: Delivery) => one.handler === delivery.handler && one.stream === delivery.stream;
  const isMeanwhile = (one: Delivery) => one.takenAt.some((at) => at > from && at < to);
  const others = all.filter((one) => !isSameLane(one) && isMeanwhile(one));
  const sameLane = all.filter((one) => isSameLane(one) && isMeanwhile(one));
  const sameStream = others.filter(({ stream }) => stream === delivery.stream).length;
  return (
    `meanwhile ${others.length} other deliveries were taken, ${sameStream} of this stream by other handlers, ` +
    `${sameLane.length === 0 ? 'none' : sameLane.length} by this one`
  );
}

import { formatTable } from '../../commands/table.js';
import { streamOf } from '../expect-arrivals.js';
import { type Delivery, type Evidence, listDeliveries, tellingsOf } from './deliveries.js';
import { indent, printTitle, type Screen, seconds } from './screen.js';

/**
 * For each stream a table: its notifications in the order of their timestamps, and when each handler's system took them.
 * A handler that got them in order has times that grow from left to right.
 */
export function printTaken(evidence: Evidence, screen: Screen): void {
  const { print, colors } = screen;
  printTitle(
    '5  What the handlers got',
    'seconds after the first request; in order is what grows to the right',
    screen,
  );
  const { sent, expected } = evidence;
  const deliveries = listDeliveries(evidence);
  const streams = new Set(sent.map(({ notification }) => streamOf(notification)));
  for (const stream of [...streams].sort()) {
    const columns = tellingsOf(stream, sent);
    const rows = [...expected.keys()].map((handler) => {
      const lane = deliveries.filter((one) => one.handler === handler && one.stream === stream);
      const cells = columns.map((request) => {
        const delivery = lane.find((one) => one.request === request);
        return delivery ? describe(delivery, lane, sent[0]?.at ?? 0, colors) : '';
      });
      return [handler, ...cells];
    });
    const heading = ['', ...columns.map(({ name }) => name)];
    const sentAs = ['sent as', ...columns.map(({ number }) => `#${number}`)];
    print(indent(colors.bold(stream)));
    print(indent(formatTable([], [heading.map(colors.bold), sentAs.map(colors.dim), ...rows])));
    print();
  }
}

function describe(delivery: Delivery, lane: readonly Delivery[], from: number, colors: Screen['colors']): string {
  const [at, ...more] = delivery.takenAt;
  if (at === undefined) return colors.red('never');
  if (more.length > 0) return colors.red(`${more.length + 1} times`);
  const tries = delivery.attempts.length;
  const text = `${seconds(from, at)}${tries > 1 ? ` (try ${tries})` : ''}`;
  const earlier = lane.slice(0, lane.indexOf(delivery)).flatMap(({ takenAt }) => takenAt);
  if (earlier.some((other) => other > at)) return colors.red(`${text} late`);
  return tries > 1 ? colors.yellow(text) : text;
}

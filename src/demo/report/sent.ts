import { formatTable } from '../../commands/table.js';
import type { Sent } from '../send-notifications.js';
import type { LogLine } from '../service-process.js';
import { indent, printTitle, type Screen } from './screen.js';

/** What was sent, in the order of sending, and what was answered. */
export function printSent(sent: readonly Sent[], log: readonly LogLine[], screen: Screen): void {
  const { print, colors } = screen;
  const explanation = 'in this order; timestamps are seconds after the start of the stream';
  printTitle('2  What the platform sends', explanation, screen);
  const rows = sent.map((request) => [
    `#${request.number}`,
    String(request.notification.data.streamId),
    request.name,
    `+${request.atS} s`,
    request.repeatOf === undefined && !request.forged ? colors.dim(request.how) : request.how,
    describeAnswer(request, colors),
  ]);
  print(indent(formatTable(['', 'stream', 'notification', 'timestamp', 'sent', 'answer'], rows)));
  printRejections(sent, log, screen);
  print();
}

function describeAnswer({ status, duplicate, tries }: Sent, colors: Screen['colors']): string {
  const answer = `${status}${duplicate ? ' duplicate' : ''}${tries > 1 ? ` (sent ${tries} times)` : ''}`;
  if (status !== 200) return colors.red(answer);
  return duplicate ? colors.yellow(answer) : colors.green(answer);
}

/** What the service's log says of the requests that were refused; their senders are not told. */
function printRejections(sent: readonly Sent[], log: readonly LogLine[], { print }: Screen): void {
  const rejections = log.filter(({ component, msg }) => component === 'rejections' && msg === 'request rejected');
  for (const [at, { number, status }] of sent.filter((request) => request.status >= 400).entries()) {
    const { reason, detail } = rejections[at] ?? {};
    print(indent(`#${number}: its sender is told ${status}, and no reason. The service's log has it:`));
    print(indent(rejections[at] ? `reason "${reason}": ${detail}` : 'nothing', 2));
  }
}

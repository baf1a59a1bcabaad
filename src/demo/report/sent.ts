import { formatTable } from '../../commands/table.js';
import { streamOf } from '../expect-arrivals.js';
import type { Sent } from '../read-requests.js';
import type { LogLine } from '../service-process.js';
import { tellingsOf } from './deliveries.js';
import { indent, printTitle, type Screen, seconds } from './screen.js';

/** What was sent, in the order of sending, and what was answered. */
export function printSent(sent: readonly Sent[], log: readonly LogLine[], screen: Screen): void {
  const { print, colors } = screen;
  const explanation = 'in this order; timestamps are seconds after the start of the stream';
  printTitle('3  What the platform sends', explanation, screen);
  const rows = sent.map((request) => [
    `#${request.number}`,
    seconds(sent[0]?.at ?? 0, request.at),
    streamOf(request.notification),
    request.name,
    `+${request.atS.toFixed(3)}`,
    describe(request, sent, colors),
    describeAnswer(request, colors),
  ]);
  print(indent(formatTable(['', 'at', 'stream', 'notification', 'timestamp', 'sent', 'answer'], rows)));
  printRejections(sent, log, screen);
  print();
}

const FORGERIES: Record<string, string> = {
  'forged-signature': 'a made-up signature',
  'forged-secret': 'signed with another secret',
  'forged-body': 'changed after signing',
  'forged-timestamp': 'another time than signed',
  'forged-unsigned': 'without a signature',
};

function describe(request: Sent, sent: readonly Sent[], colors: Screen['colors']): string {
  const { repeatOf, forged, faults } = request;
  if (forged) return faults.map((fault) => FORGERIES[fault]).find((words) => words) ?? 'forged';
  if (repeatOf === undefined) return colors.dim(describePlace(request, sent));
  return `#${repeatOf} again${faults.includes('retag') ? ', tags reordered' : ''}`;
}

/** What of its stream comes after it and should have come before. */
function describePlace(request: Sent, sent: readonly Sent[]): string {
  const stream = tellingsOf(streamOf(request.notification), sent);
  const late = stream.filter(({ atS, number }) => atS < request.atS && number > request.number);
  if (late.length === 0) return '';
  return late.length > 1 ? `ahead of ${late.length} before it` : `ahead of ${late.map(({ name }) => name)}`;
}

function describeAnswer({ answer, faults, forged }: Sent, colors: Screen['colors']): string {
  if (answer !== 200) return forged ? colors.yellow(String(answer)) : colors.red(String(answer));
  return faults.includes('lost-ack') ? colors.yellow('200, lost') : colors.green('200');
}

/** What the service's log says of the requests that were refused; their senders are not told. */
function printRejections(sent: readonly Sent[], log: readonly LogLine[], { print }: Screen): void {
  const refused = sent.filter(({ answer }) => answer === 401).map(({ number }) => `#${number}`);
  const rejections = log.filter(({ component, msg }) => component === 'rejections' && msg === 'request rejected');
  if (refused.length === 0) return;
  print(indent(`The senders of ${refused.join(' and ')} are told 401, and no reason. The service's log has it:`));
  for (const { reason, detail } of rejections) print(indent(`reason "${reason}": ${detail}`, 2));
}

import type { Sandbox } from '../../sandbox/sandbox.js';
import { SPEED } from '../plan.js';
import { indent, printTitle, type Screen } from './screen.js';

/** What the platform was asked for. `published`: the identifier of each stream by its URI. */
export function printPlatform(
  sandbox: Sandbox,
  endpoint: string,
  published: ReadonlyMap<string, string>,
  screen: Screen,
): void {
  const { seed, faults } = sandbox.info();
  printTitle('2  A platform', `the sandbox, ${SPEED} times as fast as the real one`, screen);
  const print = (text: string) => screen.print(indent(text));
  print(`faults      ${faults}, seed ${seed}`);
  print(`registered  ${endpoint}`);
  for (const [uri, streamId] of published)
    print(`published   ${uri} as ${streamId}${describeClock(sandbox, streamId)}`);
  screen.print();
}

/** The first timestamp of a stream against the time at which it was made. */
function describeClock(sandbox: Sandbox, streamId: string): string {
  const stream = sandbox.streams().find((one) => one.streamId === streamId);
  const first = sandbox.deliveries().find((one) => one.streamId === streamId);
  if (!stream || !first) return '';
  const fastMs = Date.parse(first.message.timestamp) - Date.parse(stream.startedAt);
  return `, its clock ${Math.abs(fastMs / 1000).toFixed(1)} s ${fastMs < 0 ? 'slow' : 'fast'}`;
}

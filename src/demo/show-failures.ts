import { HOLD_MS } from './demo-environment.js';
import { isIdle } from './is-idle.js';
import { AWAY, REFUSED } from './plan.js';
import { type Delivery, type Evidence, listDeliveries } from './report/deliveries.js';
import { printFailedList } from './report/failed-list.js';
import { printFailures } from './report/failures.js';
import { indent, printTitle, type Screen } from './report/screen.js';
import type { Stage } from './stage.js';
import { waitUntil } from './wait-until.js';

const DEADLINE_MS = 15_000;

/** Waits until all is taken that has not to wait behind a refusal, and shows what had to be tried again. */
export async function showRetries(stage: Stage, evidence: Evidence, screen: Screen): Promise<void> {
  const explanation = `notifications wait up to ${HOLD_MS / 1000} s for earlier ones of their stream; then:`;
  printTitle('4  What goes wrong', explanation, screen);
  const isRefused = () => evidence.arrivals.some(({ status }) => status === 422);
  await waitForAll(stage, evidence, (one) => isTaken(one) || (isBehindRefusal(one) && isRefused()));
  printFailures(evidence, AWAY.handler, screen);
}

/** Shows the refused delivery as an operator sees it, mends what refused it, and has it replayed. */
export async function showReplay(stage: Stage, evidence: Evidence, screen: Screen): Promise<void> {
  const print = (text: string) => screen.print(indent(text, 2));
  printFailures(evidence, REFUSED.handler, screen);
  print('tried once, as 422 is final; the rest of this stream waits in this handler for a person:');
  print('$ sluice failed list   (here without times and ids)');
  printFailedList(await stage.sluice('failed', 'list', '--json'), screen);
  stage.mend();
  print(`the ${REFUSED.handler} is mended:`);
  print(`$ sluice failed replay --handler ${REFUSED.handler}`);
  print(await stage.sluice('failed', 'replay', '--handler', REFUSED.handler));
  await waitForAll(stage, evidence, isTaken);
  screen.print();
}

/** Or until nothing more can come: what is missing then is lost. */
async function waitForAll(
  { service, signal }: Stage,
  evidence: Evidence,
  isDone: (delivery: Delivery) => boolean,
): Promise<void> {
  const condition = async () => listDeliveries(evidence).every(isDone) || (await isIdle(service.adminPort, signal));
  await waitUntil(condition, { deadlineMs: DEADLINE_MS, signal });
}

function isTaken({ takenAt }: Delivery): boolean {
  return takenAt.length > 0;
}

function isBehindRefusal({ handler, stream }: Delivery): boolean {
  return handler === REFUSED.handler && stream === REFUSED.stream;
}

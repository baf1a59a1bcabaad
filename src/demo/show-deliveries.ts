import { conclude } from './conclude.js';
import { expectArrivals } from './expect-arrivals.js';
import { isIdle } from './is-idle.js';
import { planSendings, SUBSCRIPTIONS } from './plan.js';
import type { Evidence } from './report/deliveries.js';
import type { Screen } from './report/screen.js';
import { printSent } from './report/sent.js';
import { printTaken } from './report/taken.js';
import { sendNotifications } from './send-notifications.js';
import { showReplay, showRetries } from './show-failures.js';
import type { Stage } from './stage.js';
import { waitUntil } from './wait-until.js';

const IDLE_DEADLINE_MS = 15_000;
/** How long before now the streams of the demo started. */
const STARTED_AGO_MS = 120_000;

/** Sends, shows what becomes of it, stops the service, and gives the exit code: 0 only if what arrived is what was sent. */
export async function showDeliveries(stage: Stage, screen: Screen): Promise<0 | 1> {
  const { service, systems, secret, signal } = stage;
  const url = new URL(`http://127.0.0.1:${service.port}/callback`);
  const sent = await sendNotifications(planSendings(Date.now() - STARTED_AGO_MS), { url, secret, signal });
  printSent(sent, service.log, screen);
  const evidence: Evidence = { sent, expected: expectArrivals(sent, SUBSCRIPTIONS), arrivals: systems.arrivals };
  await showRetries(stage, evidence, screen);
  await showReplay(stage, evidence, screen);
  // From then on nothing more can come: what comes twice has come twice.
  await waitUntil(() => isIdle(service.adminPort, signal), { deadlineMs: IDLE_DEADLINE_MS, signal });
  await service.stop();
  printTaken(evidence, screen);
  return conclude(evidence, screen);
}

import { conclude } from './conclude.js';
import { expectArrivals } from './expect-arrivals.js';
import { isIdle } from './is-idle.js';
import { SPEED, SUBSCRIPTIONS } from './plan.js';
import { type Platform, publishStreams, registerService } from './platform.js';
import { readRequests, type Sent } from './read-requests.js';
import type { Evidence } from './report/deliveries.js';
import { printPlatform } from './report/platform.js';
import type { Screen } from './report/screen.js';
import { printSent } from './report/sent.js';
import { printTaken } from './report/taken.js';
import { showReplay, showRetries } from './show-failures.js';
import type { Stage } from './stage.js';
import { waitUntil } from './wait-until.js';

const DEADLINE_MS = 15_000;

/** Has the platform send, shows what becomes of it, stops the service, and gives the exit code: 0 only if what arrived is what was sent. */
export async function showDeliveries(stage: Stage, screen: Screen): Promise<0 | 1> {
  const { service, systems, platform, signal } = stage;
  const endpoint = await registerService(platform, service.port, signal);
  printPlatform(platform.sandbox, endpoint, await publishStreams(platform, signal), screen);
  const sent = await waitForRequests(platform, signal);
  printSent(sent, service.log, screen);
  const evidence: Evidence = { sent, expected: expectArrivals(sent, SUBSCRIPTIONS), arrivals: systems.arrivals };
  await showRetries(stage, evidence, screen);
  await showReplay(stage, evidence, screen);
  // From then on nothing more can come: what comes twice has come twice.
  await waitUntil(() => isIdle(service.adminPort, signal), { deadlineMs: DEADLINE_MS, signal });
  await service.stop();
  printTaken(evidence, screen);
  return conclude(evidence, screen);
}

/** All that the platform sent, once it has nothing more to send. */
async function waitForRequests({ sandbox, startedAt }: Platform, signal: AbortSignal): Promise<Sent[]> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  // Closed before: nobody waits any more.
  sandbox.settled().then(settle, () => {});
  await waitUntil(() => isSettled, { deadlineMs: DEADLINE_MS, signal });
  const deliveries = sandbox.deliveries();
  const pending = deliveries.filter(({ state, attempts }) => state === 'pending' || attempts.length === 0).length;
  if (!isSettled || pending > 0) {
    throw new Error(
      `the platform has ${pending} notifications of ${deliveries.length} left to send after all this time`,
    );
  }
  return readRequests(deliveries, { startedAt, speed: SPEED });
}

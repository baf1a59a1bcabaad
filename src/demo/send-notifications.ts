import { setTimeout as wait } from 'node:timers/promises';
import { signNotification } from '../protocol/signature.js';
import type { Sending } from './plan.js';

/** A request that was sent, and its answer. Times are `performance.now()`, ms. */
export interface Sent extends Sending {
  at: number;
  /** Until the last answer. */
  tookMs: number;
  status: number;
  id: string | undefined;
  duplicate: boolean;
  /** How often it was sent: more than once where the answer was a 5XX, as the platform does it. */
  tries: number;
}

/** The platform waits 3, 6, 12 … seconds; nobody wants to wait for that here. */
const FIRST_WAIT_MS = 200;
const MOST_TRIES = 5;

/** Sends one after the other, each signed as the platform signs (contract: "Notification authentication"). */
export async function sendNotifications(
  sendings: readonly Sending[],
  { url, secret, signal }: { url: URL; secret: string; signal: AbortSignal },
): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const sending of sendings) {
    const at = performance.now();
    for (let tries = 1; ; tries++) {
      const answer = await send(sending, { url, secret: sending.forged ? `not ${secret}` : secret, signal });
      if (answer.status < 500 || tries === MOST_TRIES) {
        sent.push({ ...sending, at, tookMs: performance.now() - at, ...answer, tries });
        break;
      }
      await wait(FIRST_WAIT_MS * 2 ** (tries - 1), undefined, { signal });
    }
  }
  return sent;
}

async function send(
  { notification }: Sending,
  { url, secret, signal }: { url: URL; secret: string; signal: AbortSignal },
): Promise<Pick<Sent, 'status' | 'id' | 'duplicate'>> {
  const body = JSON.stringify(notification);
  const headers = signNotification({ secret, method: 'POST', target: url.pathname + url.search, body });
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  const { id, duplicate = false } = (await response.json()) as { id?: string; duplicate?: boolean };
  return { status: response.status, id, duplicate };
}

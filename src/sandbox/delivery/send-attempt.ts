import { callbackTarget, type ResolvedCallback } from '../../protocol/callback-endpoint.js';
import type { Notification } from '../../protocol/notification.js';
import { signNotification } from '../../protocol/signature.js';
import type { PlatformClock } from '../clock/platform-clock.js';
import type { Settings } from '../settings.js';
import { type Attempt, type AttemptKind, type Delivery, isAcknowledgement } from './delivery.js';
import { type AttemptPlan, type FaultSource, planAttempt, streamSkewMs } from './fault-plan.js';
import { type Forgery, forgeNotification } from './forge-notification.js';
import type { Ledger } from './ledger.js';
import type { Sender } from './send-request.js';

export interface AttemptOptions {
  settings: Pick<Settings, 'secret' | 'brand' | 'signRepeats' | 'timestampUnit'>;
  source: FaultSource;
  clock: PlatformClock;
  ledger: Ledger;
  sender: Sender;
  onAttempt(delivery: Delivery, attempt: Attempt): void;
}

/** One request to make: `forgery` makes it a copy that must be refused. */
export interface AttemptRequest {
  kind: AttemptKind;
  /** 1 for the first. */
  number: number;
  callback: ResolvedCallback;
  forgery?: Forgery | undefined;
}

/** Sends a notification once, as its plan has it, and notes in the delivery what came of it. */
export async function sendAttempt(
  options: AttemptOptions,
  delivery: Delivery,
  request: AttemptRequest,
): Promise<Attempt> {
  const { settings, source, clock, ledger, sender } = options;
  const { kind, number, callback, forgery } = request;
  const plan = planAttempt(source, delivery, number);
  const { message, faults } = vary(
    delivery.message,
    plan,
    () => clock.stamp() + streamSkewMs(source, delivery.streamNumber),
  );
  const timestamp = signedTimestamp(settings, delivery, clock.stamp() + plan.skewMs);
  const { secret, brand } = settings;
  const { method } = callback;
  const toSign = { secret, brand, method, target: callbackTarget(callback), body: JSON.stringify(message), timestamp };
  const sent = forgery ? forgeNotification(forgery, toSign) : { body: toSign.body, headers: signNotification(toSign) };
  if (!forgery) ledger.sentAs(delivery, message);
  const atMs = Math.round(clock.now());
  const sentAt = performance.now();
  const sending = sender.send(callback, sent.body, sent.headers);
  clock.during(sending);
  const answer = await sending;
  const lost = plan.lostAck && (kind === 'first' || kind === 'repeat') && isAcknowledgement(answer);
  const attempt: Attempt = {
    kind,
    number,
    atMs,
    answer,
    tookMs: Math.round(performance.now() - sentAt),
    faults: [...faults, ...(forgery ? [`forged-${forgery}`] : []), ...(lost ? ['lost-ack'] : [])],
  };
  delivery.attempts.push(attempt);
  options.onAttempt(delivery, attempt);
  return attempt;
}

function vary(
  message: Notification,
  plan: AttemptPlan,
  now: () => number,
): { message: Notification; faults: string[] } {
  const faults: string[] = [];
  let varied = message;
  const { tags } = message.data;
  if (plan.turnTags !== undefined && Array.isArray(tags) && tags.length > 1) {
    const by = 1 + Math.floor(plan.turnTags * (tags.length - 1));
    varied = { ...varied, data: { ...message.data, tags: [...tags.slice(by), ...tags.slice(0, by)] } } as Notification;
    faults.push('retag');
  }
  if (plan.restamp) {
    varied = { ...varied, timestamp: new Date(now()).toISOString() };
    faults.push('restamp');
  }
  return { message: varied, faults };
}

/** Value of the timestamp header: UNIX time (contract: "Notification authentication"). */
function signedTimestamp(settings: AttemptOptions['settings'], delivery: Delivery, now: number): string {
  if (settings.signRepeats === 'once' && delivery.signedAt !== undefined) return delivery.signedAt;
  const timestamp = String(settings.timestampUnit === 's' ? Math.floor(now / 1000) : now);
  delivery.signedAt ??= timestamp;
  return timestamp;
}

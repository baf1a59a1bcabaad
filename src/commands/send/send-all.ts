import { Agent } from 'undici';
import { signNotification } from '../../protocol/signature.js';
import type { Message } from './plan-messages.js';
import { type Outcome, sendRequest } from './send-request.js';

export interface SendOptions {
  url: URL;
  /** Path and query to sign: those of the URL, but where a proxy strips a part. */
  target: string;
  method: string;
  secret: string;
  brand: string;
  /** Value of the timestamp header; default now, in seconds. */
  signedAt?: string | undefined;
  timeoutMs: number;
  count: number;
  /** Requests at a time. */
  concurrency: number;
}

/** What became of one message of a run; `number` counts from 1. */
export type Sent = { number: number; streamId: string } & Outcome;

/**
 * Sends `count` messages, so many at a time, each signed when it is sent; tells of each as it is answered. Stops where no
 * one can be reached, and none was answered yet: the rest would go the same way.
 */
export async function sendAll(
  message: (index: number) => Message,
  options: SendOptions,
  onSent: (sent: Sent) => void,
): Promise<Sent[]> {
  const { url, target, method, secret, brand, signedAt, timeoutMs, count, concurrency } = options;
  const dispatcher = new Agent({ connections: concurrency, connect: { timeout: timeoutMs } });
  const sent: Sent[] = [];
  let next = 0;
  let answered = false;

  async function sendNext(): Promise<void> {
    while (next < count) {
      const index = next++;
      const { streamId, body } = message(index);
      const timestamp = signedAt === undefined ? {} : { timestamp: signedAt };
      const signed = signNotification({ secret, method, target, body, brand, ...timestamp });
      const headers = { ...signed, 'User-Agent': 'sluice' };
      const outcome = await sendRequest({ url, method, headers, body, timeoutMs, dispatcher });
      answered ||= outcome.http !== undefined;
      const one: Sent = { number: index + 1, streamId, ...outcome };
      sent.push(one);
      if (outcome.http === undefined && outcome.unreachable && !answered) next = count;
      else onSent(one);
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, count) }, sendNext));
  } finally {
    await dispatcher.destroy();
  }
  return sent;
}

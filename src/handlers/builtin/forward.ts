import { Webhook } from 'standardwebhooks';
import { defineHandler } from '../define-handler.js';
import { PermanentError, RetryAfterError } from '../errors.js';
import type { Handler } from '../handler.js';
import { readRetryAfter } from './retry-after.js';

/** Of a response's body no more is read: only reading it to its end leaves the connection usable. */
const DRAIN_LIMIT_BYTES = 65_536;
/** Refusals that may pass: time-out, conflict, too early, too many. Every other 4XX stays one. */
const PASSING_REFUSALS = new Set([408, 409, 425, 429]);

export interface ForwardOptions {
  /** Where to send: http or https, without credentials. */
  url: string;
  /** The key: `whsec_` and base64, as the Standard Webhooks scheme writes it, or any other text, taken as UTF-8. */
  secret: string;
  /** Default: Node's own. */
  fetch?: typeof globalThis.fetch;
  /** The time, milliseconds since the epoch. Default: the clock. */
  now?: () => number;
}

/**
 * A handler that sends each notification on: POST, JSON, signed by the Standard Webhooks scheme (`webhook-id`,
 * `webhook-timestamp`, `webhook-signature`). `webhook-id` is `context.id`, so a receiver knows a repeat by it.
 *
 * 2XX is success. A 4XX is a {@link PermanentError}, but for 408, 409, 425 and 429; 429 and 503 with a `Retry-After` are a
 * {@link RetryAfterError}; anything else is tried again with the usual back-off. Redirects are not followed: one would
 * carry the notification and its signature to a host that nobody configured, inside the network perhaps.
 *
 * @throws TypeError for a URL or a secret that cannot be used.
 */
export function createForwardHandler(options: ForwardOptions): Handler {
  const { fetch = globalThis.fetch, now = Date.now } = options;
  const url = readUrl(options.url);
  // In errors, which are logged and kept, no more of the address: many such URLs carry a token in their path.
  const target = url.origin;
  const webhook = new Webhook(readSecret(options.secret), { format: 'raw' });
  return defineHandler({
    name: 'forward',
    on: '*',
    async handle(notification, { id, signal }) {
      const sentAt = new Date(now());
      const body = JSON.stringify(notification);
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'sluice',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
          'webhook-signature': webhook.sign(id, sentAt, body),
        },
        body,
        redirect: 'manual',
        signal,
      }).catch((error: unknown) => {
        throw signal.aborted ? error : unreachable(target, error);
      });
      await drain(response);
      if (!response.ok) throw refusal(response, target, now());
    },
  });
}

/** fetch says "fetch failed" of all that fails; why stands in its cause. */
function unreachable(target: string, error: unknown): Error {
  const cause = (error as Error | undefined)?.cause ?? error;
  const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? cause;
  return new Error(`expected ${target} to answer 2XX; received nothing (${String(why)})`, { cause: error });
}

function refusal({ status, headers }: Response, target: string, now: number): Error {
  const message = `expected ${target} to answer 2XX; received ${status}`;
  if (status >= 300 && status < 400) {
    return new Error(`${message}: redirects are not followed, configure the address that it leads to`);
  }
  if (status >= 400 && status < 500 && !PASSING_REFUSALS.has(status)) return new PermanentError(message);
  const waitMs = status === 429 || status === 503 ? readRetryAfter(headers.get('retry-after'), now) : undefined;
  return waitMs === undefined
    ? new Error(message)
    : new RetryAfterError(waitMs, `${message}, Retry-After ${waitMs} ms`);
}

/** The status is what counts: a body that breaks off takes nothing back. */
async function drain(response: Response): Promise<void> {
  let read = 0;
  try {
    // Leaving the loop early cancels the rest.
    for await (const chunk of response.body ?? []) {
      read += chunk.length;
      if (read > DRAIN_LIMIT_BYTES) break;
    }
  } catch {}
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  // The text is not repeated: it may hold credentials.
  const received = url
    ? `${url.protocol}//${url.host}${url.username || url.password ? ' with credentials' : ''}`
    : 'none';
  throw new TypeError(`forward: expected an http or https URL without credentials; received ${received}`);
}

function readSecret(secret: string): Buffer {
  if (!secret.startsWith('whsec_')) {
    if (secret === '') throw new TypeError('forward: expected a secret; received an empty one');
    return Buffer.from(secret, 'utf8');
  }
  const encoded = secret.slice('whsec_'.length);
  const key = Buffer.from(encoded, 'base64');
  if (key.length === 0 || key.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '')) {
    throw new TypeError('forward: expected base64 after whsec_ in the secret; received something else');
  }
  return key;
}

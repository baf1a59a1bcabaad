import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Agent, request } from 'undici';
import { signIndependently } from '../protocol/independent-signature.js';
import { keyOf, type Planned, planStreams, type StreamShape } from './load.js';
import { SECRET } from './service.js';

/** What came of sending a notification, in all its sendings. Times in milliseconds since the epoch. */
export interface Delivered {
  planned: Planned;
  /** The first try. */
  sentAt: number;
  /** The first 2XX. */
  answeredAt: number;
  /** Of all answers: one id, however often it was sent. */
  ids: Set<string>;
  /** Answers that said `duplicate`. */
  duplicates: number;
}

/** A sender that behaves like the platform: what is not answered, or 5XX, is sent again, though sooner. */
export interface Platform {
  /** Resolves once it is answered 2XX. Rejects on any other answer but 5XX, and once it is closed. */
  send(planned: Planned): Promise<void>;
  sendAll(planned: readonly Planned[]): Promise<void>;
  /** By stream and number. */
  readonly delivered: ReadonlyMap<string, Delivered>;
  /** Every answer but 2XX: 0 where there was none. */
  readonly refusals: readonly { status: number; at: number }[];
  close(): Promise<void>;
}

const CONCURRENCY = 24;

export function createPlatform(options: {
  /** Where to send; each sending to another. */
  ports: () => readonly number[];
  /** Wait before it is sent again, ms; default 50. */
  retryMs?: number;
}): Platform {
  const { ports, retryMs = 50 } = options;
  const agent = new Agent({ connections: CONCURRENCY });
  const limit = pLimit(CONCURRENCY);
  const delivered = new Map<string, Delivered>();
  const firstSentAt = new Map<string, number>();
  const sendings = new Map<string, number>();
  const refusals: { status: number; at: number }[] = [];
  let turn = 0;
  let closed = false;

  async function sendOnce(planned: Planned, sending: number): Promise<{ status: number; body: string }> {
    const choice = ports();
    const port = choice[turn++ % choice.length];
    const signed = signIndependently({ secret: SECRET, body: planned.body(sending) });
    try {
      const { statusCode, body } = await request(`http://127.0.0.1:${port}/callback`, {
        dispatcher: agent,
        method: 'POST',
        headers: signed.headers,
        body: signed.body,
      });
      return { status: statusCode, body: await body.text() };
    } catch {
      return { status: 0, body: '' };
    }
  }

  async function send(planned: Planned): Promise<void> {
    const key = keyOf(planned);
    for (;;) {
      if (closed) throw new Error(`${key} was not answered 2XX before the end`);
      const sending = sendings.get(key) ?? 0;
      sendings.set(key, sending + 1);
      const sentAt = firstSentAt.get(key) ?? Date.now();
      firstSentAt.set(key, sentAt);
      const { status, body } = await sendOnce(planned, sending);
      const at = Date.now();
      if (status === 200) {
        const { id, duplicate = false } = JSON.parse(body) as { id: string; duplicate?: boolean };
        const one = delivered.get(key) ?? { planned, sentAt, answeredAt: at, ids: new Set(), duplicates: 0 };
        one.ids.add(id);
        one.duplicates += duplicate ? 1 : 0;
        delivered.set(key, one);
        return;
      }
      refusals.push({ status, at });
      if (status !== 0 && status < 500) throw new Error(`${key} was answered ${status}: ${body}`);
      await wait(retryMs);
    }
  }

  return {
    send: (planned) => limit(send, planned),
    async sendAll(all) {
      await Promise.all(all.map((planned) => limit(send, planned)));
    },
    delivered,
    refusals,
    async close() {
      closed = true;
      await agent.destroy();
    },
  };
}

/** Sends small streams one round after the other, until told to stop; a round waits for the answers of the one before. */
export function startTraffic(
  platform: Platform,
  name: string,
  shape: Partial<StreamShape> = {},
): { stop(): Promise<void> } {
  let stopped = false;
  const sending = (async () => {
    for (let round = 0; !stopped; round++) {
      await platform.sendAll(
        planStreams({ name: `${name}-${round}`, streams: 4, each: 5, data: { takesMs: 5 }, ...shape }),
      );
    }
  })();
  // Said by `stop`, which everybody calls.
  sending.catch(() => {});
  return {
    stop: () => {
      stopped = true;
      return sending;
    },
  };
}

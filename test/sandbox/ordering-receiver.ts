import { setTimeout as realPause } from 'node:timers/promises';
import { type Receiver, type ReceiverOptions, startReceiver } from './receiver.js';

/** What a receiver does wrong. */
export interface Flaws {
  /** Handles every so many-th notification twice. */
  twiceEvery?: number;
  /** Answers every so many-th and forgets it. */
  loseEvery?: number;
  /** Never says that something is late. */
  neverLate?: boolean;
}

/**
 * A receiver that recognises repeats by what they say, handles at once, flags what comes late, and tells the recorder:
 * the least that does what the contract asks of one.
 */
export async function startOrderingReceiver(flaws: Flaws = {}, options: ReceiverOptions = {}, handler = 'catalogue') {
  const seen = new Set<string>();
  const newest = new Map<string, number>();
  let outbox: object[] = [];
  let handled = 0;
  const receiver: Receiver = await startReceiver({
    ...options,
    answer(received, count) {
      const code = options.answer?.(received, count) ?? 200;
      const { what, data, timestamp } = received.message;
      const fact = JSON.stringify([what, data.streamId, data.uri]);
      if (code !== 200 || seen.has(fact)) return code;
      seen.add(fact);
      handled += 1;
      if (flaws.loseEvery && handled % flaws.loseEvery === 0) return code;
      const stream = String(data.streamId);
      const late = Date.parse(timestamp) < (newest.get(stream) ?? 0);
      newest.set(stream, Math.max(Date.parse(timestamp), newest.get(stream) ?? 0));
      const record = { handler, late: late && !flaws.neverLate, notification: received.message };
      outbox.push(record);
      if (flaws.twiceEvery && handled % flaws.twiceEvery === 0) outbox.push(record);
      return code;
    },
  });
  /** Tells the sandbox what was handled so far, in order. */
  async function tell(sandbox: { baseUrl: string }): Promise<void> {
    for (; outbox.length > 0; await realPause(0)) {
      const records = outbox.slice(0, 500);
      outbox = outbox.slice(500);
      const answer = await fetch(`${sandbox.baseUrl}/sandbox/recorder`, {
        method: 'POST',
        body: JSON.stringify(records),
      });
      if (!answer.ok) throw new Error(await answer.text());
    }
  }

  return {
    ...receiver,
    tell,
    /** Tells it again and again, until a promise is settled; what was handled before is not its concern. */
    async tellUntil(sandbox: { baseUrl: string }, done: Promise<unknown>): Promise<void> {
      outbox = [];
      let over = false;
      const end = () => {
        over = true;
      };
      done.then(end, end);
      while (!over) {
        await tell(sandbox).catch((error) => {
          if (!over) throw error;
        });
        await realPause(10);
      }
    },
  };
}

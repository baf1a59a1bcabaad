import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { signIndependently, toWire } from '../protocol/independent-signature.js';
import { startedBody } from './notifications.js';
import { openConnection, type RawResponse } from './raw-connection.js';
import { createMemoryIntake, startReceiver, type TestReceiver } from './test-receiver.js';

const intake = createMemoryIntake();
let running: TestReceiver;

beforeAll(async () => {
  running = await startReceiver({ intake });
});

afterAll(async () => {
  await running.receiver.close(1_000);
});

/** Sends the bytes, closes the sending side, and gives whatever came back. */
async function responsesTo(bytes: Buffer): Promise<RawResponse[]> {
  const connection = await openConnection(running.port);
  connection.send(bytes);
  connection.end();
  const responses: RawResponse[] = [];
  try {
    for (;;) responses.push(await connection.next());
  } catch (error) {
    // Nothing may be left over that is not a whole response.
    expect(String(error)).toContain('the connection ended; received: ""');
  }
  return responses;
}

const good = toWire(signIndependently({ body: startedBody() }));
const ANSWERS: Record<number, string[]> = {
  200: ['ok'],
  401: ['unauthorized'],
  404: ['not-found'],
  405: ['method-not-allowed'],
  413: ['payload-too-large'],
  503: ['capacity'],
};

describe('a request of which some bytes were changed, dropped or added on its way', () => {
  it('is answered by the receiver and never by Node, and lets nothing in that was not sent', async () => {
    const change = fc.record({
      at: fc.nat({ max: good.length - 1 }),
      remove: fc.integer({ min: 0, max: 20 }),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 8 }),
        fc.constantFrom('\r\n', '\r\n\r\n', ':', ' ', '0').map(Buffer.from),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const bytes = changes.reduce<Buffer>(
          (wire, { at, remove, insert }) =>
            Buffer.concat([wire.subarray(0, at), Buffer.from(insert as Uint8Array), wire.subarray(at + remove)]),
          good,
        );
        for (const { status, body, headers } of await responsesTo(bytes)) {
          // An answer to HEAD has no body.
          if (body === '' && bytes.toString('latin1').startsWith('HEAD')) continue;
          expect(ANSWERS[status]).toContain(JSON.parse(body).status);
          expect(headers['retry-after']).toBe(status === 503 ? '3' : undefined);
        }
      }),
      { numRuns: 300 },
    );
    expect(intake.invalid).toEqual([]);
    expect(intake.accepted.every(({ body }) => body.toString() === startedBody())).toBe(true);
    expect((await responsesTo(good)).map(({ status }) => status)).toEqual([200]);
  });
});

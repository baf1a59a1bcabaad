import { afterEach, describe, expect, it } from '@jest/globals';
import type { ReceiverOptions } from '../../src/receiver/create-receiver.js';
import { signIndependently, toWire, type WireRequest } from '../protocol/independent-signature.js';
import { SIGNATURE_VECTORS } from '../protocol/signature-vectors.js';
import { startedBody } from './notifications.js';
import { exchange, openConnection } from './raw-connection.js';
import { createMemoryIntake, startReceiver, type TestReceiver } from './test-receiver.js';

let running: TestReceiver | undefined;

async function start(options: Partial<ReceiverOptions> = {}): Promise<TestReceiver> {
  running = await startReceiver({ intake: createMemoryIntake(), ...options });
  return running;
}

afterEach(async () => {
  await running?.receiver.close(1_000);
});

describe('the golden vectors, over a real socket', () => {
  it.each(SIGNATURE_VECTORS)('$name', async (vector) => {
    const callbackPath = vector.target.split('?')[0] ?? '';
    const { port, rejected } = await start({ secrets: () => vector.secrets, toleranceS: 0, callbackPath });
    const response = await exchange(port, toWire({ ...vector, body: Buffer.from(vector.bodyBase64, 'base64') }));
    expect(response.status).toBe(vector.authentic ? 200 : 401);
    expect(rejected).toEqual(vector.why === undefined ? [] : [vector.why]);
  });
});

/** One request for each reason not to let it in. */
function unauthenticRequests(): [string, Buffer][] {
  const good = signIndependently({ body: startedBody() });
  const without = (name: string): WireRequest => {
    const { [name]: _gone, ...headers } = good.headers;
    return { ...good, headers };
  };
  const length = `Content-Length: ${good.body.length}`;
  const twice = (name: string) => toWire(good, [length, `${name}: ${good.headers[name]}`]);
  const old = String(Math.floor(Date.now() / 1000) - 3_000);
  return [
    ['missing-header', toWire(without('Authorization'))],
    ['missing-header', toWire(without('X-Svc-Timestamp'))],
    ['repeated-header', twice('Authorization')],
    ['repeated-header', twice('X-Svc-Content-Sha256')],
    ['repeated-header', twice('X-Svc-Timestamp')],
    ['repeated-header', twice('Content-Type')],
    ['scheme', toWire({ ...good, headers: { ...good.headers, Authorization: 'Basic eDp5' } })],
    ['digest', toWire({ ...good, body: Buffer.from(startedBody(2)) })],
    ['signature', toWire(signIndependently({ secret: 'another', body: startedBody() }))],
    ['signature', toWire({ ...good, method: 'PUT' })],
    ['signature', toWire({ ...good, target: '/callback?' })],
    ['timestamp', toWire(signIndependently({ timestamp: old, body: startedBody() }))],
  ];
}

describe('a request that is not authentic', () => {
  it('is answered the same, to the byte, whatever the reason', async () => {
    const { port, rejected } = await start();
    const requests = unauthenticRequests();
    const answers = new Set<string>();
    for (const [, bytes] of requests) {
      const { status, headers, body } = await exchange(port, bytes);
      answers.add(JSON.stringify({ status, headers: { ...headers, date: '' }, body }));
    }
    expect(rejected).toEqual(requests.map(([reason]) => reason));
    expect([...answers]).toHaveLength(1);
    expect(JSON.parse([...answers][0] ?? '')).toMatchObject({ status: 401, body: '{"status":"unauthorized"}' });
  });

  it('is recorded with its reason, without its content, query or headers', async () => {
    const { port, lines, written } = await start();
    const forged = signIndependently({
      secret: 'another',
      target: '/callback?token=query-secret',
      body: 'body-secret',
    });
    await exchange(port, toWire(forged));
    const recorded = lines.filter((line) => line.msg === 'request rejected');
    expect(recorded).toEqual([
      expect.objectContaining({
        level: 40,
        component: 'rejections',
        reason: 'signature',
        detail: expect.stringContaining('another secret'),
        method: 'POST',
        path: '/callback',
        remoteAddress: '127.0.0.1',
        receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        bytes: 'body-secret'.length,
      }),
    ]);
    expect(lines).toContainEqual(expect.objectContaining({ outcome: 'unauthorized', status: 401, path: '/callback' }));
    for (const secret of ['query-secret', 'body-secret', 'application-secret', forged.headers.Authorization]) {
      expect(written()).not.toContain(secret);
    }
  });

  it('does not reach the intake, nor is it parsed', async () => {
    const intake = createMemoryIntake();
    const { port } = await start({ intake });
    for (const [, bytes] of unauthenticRequests()) await exchange(port, bytes);
    expect([intake.accepted, intake.invalid]).toEqual([[], []]);
  });

  it('may carry a header named __proto__', async () => {
    const { port } = await start();
    const good = signIndependently({ body: startedBody() });
    const more = ['__proto__: x', 'constructor: y', `Content-Length: ${good.body.length}`];
    expect((await exchange(port, toWire(good, more))).status).toBe(200);
    const { Authorization: _gone, ...headers } = good.headers;
    expect((await exchange(port, toWire({ ...good, headers }, more))).status).toBe(401);
  });
});

describe('a body that is too large', () => {
  const tooLarge = { status: 413, body: '{"status":"payload-too-large"}' };

  it('is refused by its announced length, before any of it came', async () => {
    const { port, rejected } = await start({ bodyLimitBytes: 1_000 });
    const request = signIndependently({ body: 'x'.repeat(1_001) });
    const response = await exchange(port, toWire({ ...request, body: Buffer.alloc(0) }, ['Content-Length: 1001']));
    expect(response).toMatchObject(tooLarge);
    expect(rejected).toEqual(['payload-too-large']);
  });

  it('is taken up to the limit', async () => {
    const { port } = await start({ bodyLimitBytes: 1_000 });
    const body = startedBody().padEnd(1_000);
    expect((await exchange(port, toWire(signIndependently({ body })))).status).toBe(200);
  });

  it('without an announced length is refused once it has grown too large, and its sender sees the answer', async () => {
    const { port, lines } = await start({ bodyLimitBytes: 100_000 });
    const request = signIndependently({ body: Buffer.alloc(0) });
    const connection = await openConnection(port);
    connection.send(toWire(request, ['Transfer-Encoding: chunked']));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 64; sent += 1) connection.send(chunk);
    const response = await connection.next();
    expect(response).toMatchObject(tooLarge);
    expect(response.headers.connection).toBe('close');
    connection.destroy();
    const recorded = lines.find((line) => line.reason === 'payload-too-large');
    expect(recorded).toMatchObject({ detail: 'the body is larger than 100000 bytes' });
    expect(Number(recorded?.bytes)).toBeLessThan(100_000 + 2 * 65_536);
  });

  it('of a sender that sends everything before it reads is answered all the same', async () => {
    const { port } = await start({ bodyLimitBytes: 1_000 });
    const request = signIndependently({ body: Buffer.alloc(4 * 1024 * 1024) });
    expect(await exchange(port, toWire(request))).toMatchObject(tooLarge);
  });
});

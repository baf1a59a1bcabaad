import { afterEach, describe, expect, it } from '@jest/globals';
import type { ReceiverOptions } from '../../src/receiver/create-receiver.js';
import { signIndependently, toWire } from '../protocol/independent-signature.js';
import { startedBody } from './notifications.js';
import { exchange } from './raw-connection.js';
import { createMemoryIntake, type MemoryIntake, startReceiver, type TestReceiver } from './test-receiver.js';

let running: TestReceiver | undefined;
let intake: MemoryIntake;

async function start(options: Partial<ReceiverOptions> = {}): Promise<TestReceiver> {
  intake = createMemoryIntake();
  running = await startReceiver({ intake, ...options });
  return running;
}

afterEach(async () => {
  await running?.receiver.close(1_000);
});

const capacity = { status: 503, body: '{"status":"capacity"}' };
const json = 'application/json; charset=utf-8';

describe('an authentic notification', () => {
  it.each(['GET', 'POST', 'PUT'])('sent by %s with a body is kept and answered with its id', async (method) => {
    const { port } = await start();
    const body = startedBody();
    const response = await exchange(port, toWire(signIndependently({ method, body })));
    expect(response).toMatchObject({ status: 200, body: '{"status":"ok","id":"id-1"}' });
    expect(response.headers).toMatchObject({
      'content-type': json,
      'content-length': '27',
      'cache-control': 'no-store',
    });
    expect(response.headers).not.toHaveProperty('x-powered-by');
    expect(response.headers).not.toHaveProperty('etag');
    expect(intake.accepted.map((kept) => kept.body.toString())).toEqual([body]);
    expect(intake.accepted[0]?.notification).toEqual(JSON.parse(body));
  });

  it('seen before is answered with the id of the first', async () => {
    const { port, answered } = await start();
    const request = toWire(signIndependently({ body: startedBody() }));
    await exchange(port, request);
    expect(await exchange(port, request)).toMatchObject({
      status: 200,
      body: '{"status":"ok","id":"id-1","duplicate":true}',
    });
    expect(answered.map(({ outcome, kind }) => [outcome, kind])).toEqual([
      ['accepted', 'started'],
      ['duplicate', 'started'],
    ]);
  });

  it('may come in chunks', async () => {
    const { port } = await start();
    const request = signIndependently({ body: startedBody() });
    const half = Math.floor(request.body.length / 2);
    const chunks = [request.body.subarray(0, half), request.body.subarray(half)].map((chunk) =>
      Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    );
    const head = toWire({ ...request, body: Buffer.alloc(0) }, ['Transfer-Encoding: chunked']);
    const response = await exchange(port, Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]));
    expect(response.status).toBe(200);
  });

  it('that departs from the contract, but has a place to go, is kept, and the departure logged', async () => {
    const { port, lines } = await start();
    const body = JSON.stringify({ what: 'started', data: { streamId: 's' } });
    expect((await exchange(port, toWire(signIndependently({ body })))).status).toBe(200);
    expect(lines).toContainEqual(
      expect.objectContaining({
        outcome: 'accepted',
        deviations: expect.arrayContaining([expect.stringMatching(/^data.tags: /)]),
      }),
    );
  });
});

describe('an authentic request that is no notification', () => {
  it.each([
    ['no JSON', 'not json', 'the body is not JSON'],
    ['no what', '{}', 'what: expected a non-empty string'],
    ['a known kind without a stream', '{"what":"live","data":{}}', 'data.streamId: expected a non-empty string'],
    ['an empty body', '', 'the body is empty'],
  ])('(%s) is kept as failed before it is answered 400', async (_name, body, problem) => {
    const { port, lines } = await start();
    const response = await exchange(port, toWire(signIndependently({ body })));
    expect(response.status).toBe(400);
    const answer = JSON.parse(response.body);
    expect(answer).toEqual({ status: 'invalid-notification', message: expect.stringContaining(problem) });
    expect(intake.invalid.map((kept) => [kept.body.toString(), kept.problem])).toEqual([[body, answer.message]]);
    expect(lines).toContainEqual(expect.objectContaining({ outcome: 'invalid', status: 400, problem: answer.message }));
  });

  it('is asked for again where it could not be kept', async () => {
    const { port } = await start({
      intake: { ...createMemoryIntake(), keepInvalid: () => Promise.reject(new Error('Redis is away')) },
    });
    expect(await exchange(port, toWire(signIndependently({ body: '{}' })))).toMatchObject(capacity);
  });
});

describe('what is not the fault of the sender', () => {
  const request = () => toWire(signIndependently({ body: startedBody() }));

  it.each<[string, Partial<ReceiverOptions>]>([
    [
      'the intake rejects',
      { intake: { ...createMemoryIntake(), accept: () => Promise.reject(new Error('Redis is away')) } },
    ],
    [
      'the intake throws',
      {
        intake: {
          ...createMemoryIntake(),
          accept: () => {
            throw new TypeError('unforeseen');
          },
        },
      },
    ],
    [
      'the secrets are unreadable',
      {
        secrets: () => {
          throw new Error('ENOENT: /run/secrets/application-secret');
        },
      },
    ],
    ['there are no secrets', { secrets: () => [] }],
    ['a secret is empty', { secrets: () => ['application-secret', ''] }],
  ])('(%s) is answered 503, with the time to come again', async (_name, options) => {
    const { port, lines } = await start(options);
    const response = await exchange(port, request());
    expect(response).toMatchObject(capacity);
    expect(response.headers['retry-after']).toBe('3');
    expect(response.headers.connection).not.toBe('close');
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 50,
        outcome: 'unavailable',
        err: expect.objectContaining({ stack: expect.any(String) }),
      }),
    );
  });

  it('is logged with one stack trace a second, not one for each request', async () => {
    const { port, lines } = await start({
      intake: { ...createMemoryIntake(), accept: () => Promise.reject(new Error('Redis is away')) },
    });
    await Promise.all(Array.from({ length: 20 }, () => exchange(port, request())));
    const failures = lines.filter((line) => line.outcome === 'unavailable');
    expect(failures).toHaveLength(20);
    expect(failures.filter((line) => line.err !== undefined).length).toBeLessThan(5);
    expect(failures.at(-1)).toMatchObject({ problem: 'Error: Redis is away' });
  });

  it('(the rejection log breaks) costs no later request', async () => {
    const failing = () => {
      throw new Error('disk full');
    };
    const { port } = await start({ rejections: { record: failing } });
    const forged = signIndependently({ body: 'x', secret: 'another' });
    expect((await exchange(port, toWire(forged))).status).toBe(401);
    expect((await exchange(port, request())).status).toBe(200);
  });
});

describe('other requests', () => {
  it.each([
    ['GET /', 404],
    ['POST /callback/', 404],
    ['POST /Callback', 404],
    ['POST /callback/x', 404],
    ['POST /callbac%6b', 404],
    ['POST //callback', 404],
    ['POST /%zz', 404],
    ['GET /healthz/', 404],
    ['OPTIONS *', 404],
  ])('%s: not found', async (line, status) => {
    const { port } = await start();
    const response = await exchange(port, `${line} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    expect(response).toMatchObject({ status, body: '{"status":"not-found"}' });
    expect(response.headers['content-type']).toBe(json);
  });

  it.each(['DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('%s to the callback: method not allowed', async (method) => {
    const { port } = await start();
    const response = await exchange(port, `${method} /callback HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    expect(response).toMatchObject({ status: 405, body: '{"status":"method-not-allowed"}' });
    expect(response.headers.allow).toBe('GET, POST, PUT');
  });

  it('POST to the health check: method not allowed', async () => {
    const { port } = await start();
    const response = await exchange(port, 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    expect(response).toMatchObject({ status: 405, body: '{"status":"method-not-allowed"}' });
    expect(response.headers.allow).toBe('GET, HEAD');
  });

  it('GET /healthz: ok', async () => {
    const { port } = await start();
    const response = await exchange(port, 'GET /healthz?probe HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(response).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });
});

describe('the path of the callback', () => {
  it('may hold what Express would take for a pattern or decode', async () => {
    const { port } = await start({ callbackPath: '/a(b)/%zz/:c*' });
    const request = signIndependently({ target: '/a(b)/%zz/:c*?x=%zz', body: startedBody() });
    expect((await exchange(port, toWire(request))).status).toBe(200);
  });

  it('gets what a proxy strips put back before the signature is checked', async () => {
    const { port } = await start({ publicBasePath: '/streams/v1' });
    const signed = signIndependently({ target: '/streams/v1/callback?a=1', body: startedBody() });
    expect((await exchange(port, toWire({ ...signed, target: '/callback?a=1' }))).status).toBe(200);
    expect((await exchange(port, toWire(signed))).status).toBe(404);
    const direct = signIndependently({ target: '/callback', body: startedBody(2) });
    expect((await exchange(port, toWire(direct))).status).toBe(401);
  });

  it.each(['http://localhost', 'https://EXAMPLE.com:8443', 'http://[::1]:80', 'http://user@host', 'http://[nonsense'])(
    'may come behind %s, as in an absolute-form target',
    async (origin) => {
      const { port } = await start();
      const signed = signIndependently({ target: '/callback?a=%2F', body: startedBody() });
      const response = await exchange(port, toWire({ ...signed, target: `${origin}/callback?a=%2F` }));
      expect(response.status).toBe(200);
    },
  );

  it('is verified with every byte of its query as it came', async () => {
    const { port } = await start();
    for (const query of [
      '?',
      '?a=b&a=c',
      '?%zz',
      '?a=%2f%2F',
      '?a[b]=1&a[c]',
      '?a+b%20c',
      '?x=http://h/callback',
      '?"<>^`{|}\\',
    ]) {
      const signed = signIndependently({ target: `/callback${query}`, body: startedBody() });
      expect([query, (await exchange(port, toWire(signed))).status]).toEqual([query, 200]);
    }
  });
});

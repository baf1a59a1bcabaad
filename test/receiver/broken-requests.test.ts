import { afterEach, describe, expect, it } from '@jest/globals';
import type { ReceiverOptions } from '../../src/receiver/create-receiver.js';
import { until } from '../helpers/until.js';
import { signIndependently, toWire } from '../protocol/independent-signature.js';
import { startedBody } from './notifications.js';
import { exchange, openConnection } from './raw-connection.js';
import { createMemoryIntake, createPausedIntake, startReceiver, type TestReceiver } from './test-receiver.js';

let running: TestReceiver | undefined;

async function start(options: Partial<ReceiverOptions> = {}): Promise<TestReceiver> {
  running = await startReceiver({ intake: createMemoryIntake(), ...options });
  return running;
}

/** Whatever happened before, the next sender is served. */
afterEach(async () => {
  if (!running) return;
  const { port, receiver } = running;
  try {
    const next = await exchange(port, toWire(signIndependently({ body: startedBody(999) })));
    expect(next.status).toBe(200);
  } finally {
    await receiver.close(1_000);
  }
});

const malformed = { status: 503, body: '{"status":"capacity"}' };
const good = (number = 1) => signIndependently({ body: startedBody(number) });
const head = 'POST /callback HTTP/1.1\r\nHost: x\r\n';

describe('what Node would answer 400, 408, 417 or 431', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['TLS on a plain port', Buffer.from('16030100c8010000c40303', 'hex')],
    ['an unknown method', 'FROB /callback HTTP/1.1\r\n\r\n'],
    ['an unknown version', 'POST /callback HTTP/9.9\r\n\r\n'],
    ['a target with a space', 'POST /call back HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', `${head}Nonsense\r\n\r\n`],
    ['a space in a header name', `${head}Content Length: 2\r\n\r\n`],
    ['a length that is no number', `${head}Content-Length: abc\r\n\r\n`],
    ['a negative length', `${head}Content-Length: -1\r\n\r\n`],
    ['two lengths', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nab`],
    ['a length and chunks', `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['an unknown transfer coding', `${head}Transfer-Encoding: chunked, gzip\r\n\r\n`],
    ['a chunk whose size is none', `${head}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`],
    ['a chunk longer than announced', `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n`],
    ['headers of 64 kB', `${head}X-Large: ${'x'.repeat(65_536)}\r\n\r\n`],
    ['a megabyte of headers', `${head}${'X-Many: x\r\n'.repeat(100_000)}\r\n`],
    ['a target of 64 kB', `POST /callback?${'x'.repeat(65_536)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('(%s) is answered 503, to come again', async (_name, bytes) => {
    const { port, answered } = await start();
    const response = await exchange(port, bytes);
    expect(response).toMatchObject(malformed);
    expect(response.headers).toMatchObject({ 'retry-after': '3', connection: 'close' });
    await until('it is counted', () => answered.length > 0);
    expect(answered.map(({ outcome, status }) => [outcome, status])).toEqual([['malformed', 503]]);
  });

  it('(a body shorter than announced) is answered 503', async () => {
    const { port, lines } = await start();
    const connection = await openConnection(port);
    connection.send(`${head}Content-Length: 100\r\n\r\nshort`);
    connection.end();
    expect(await connection.next()).toMatchObject(malformed);
    await connection.closed;
    const about = lines.filter((line) => line.outcome !== undefined);
    expect(about).toEqual([expect.objectContaining({ outcome: 'malformed', method: 'POST', path: '/callback' })]);
  });

  it('(a body longer than announced) answers the request, and then what follows it', async () => {
    const { port } = await start();
    const request = good();
    const connection = await openConnection(port);
    connection.send(Buffer.concat([toWire(request), Buffer.from('and more\r\n\r\n')]));
    expect((await connection.next()).status).toBe(200);
    expect(await connection.next()).toMatchObject(malformed);
    await connection.closed;
  });

  it('(headers that come too slowly) is answered 503', async () => {
    const { port } = await start({ timeouts: { headersMs: 100, requestMs: 300 } });
    const connection = await openConnection(port);
    connection.send('POST /callback HTTP/1.1\r\nHost:');
    expect(await connection.next()).toMatchObject(malformed);
    await connection.closed;
  });

  it('(a body that comes too slowly) is answered 503, once', async () => {
    const { port, answered } = await start({ timeouts: { headersMs: 100, requestMs: 200 } });
    const connection = await openConnection(port);
    connection.send(`${head}Content-Length: 100\r\n\r\nslow`);
    expect(await connection.next()).toMatchObject(malformed);
    await connection.closed;
    await expect(connection.next()).rejects.toThrow('the connection ended; received: ""');
    expect(answered.map(({ outcome }) => outcome)).toEqual(['malformed']);
  });

  it('(nothing at all) is closed without an answer', async () => {
    const { port, answered } = await start({ timeouts: { headersMs: 100, requestMs: 200 } });
    const connection = await openConnection(port);
    await connection.closed;
    await expect(connection.next()).rejects.toThrow('the connection ended; received: ""');
    expect(answered).toEqual([]);
  });

  it('(no Host) is a request like any other', async () => {
    const { port } = await start();
    const wire = toWire(good()).toString('latin1').replace('Host: localhost\r\n', '');
    expect((await exchange(port, Buffer.from(wire, 'latin1'))).status).toBe(200);
  });

  it('(an expectation that Node does not know) is a request like any other', async () => {
    const { port } = await start();
    const request = good();
    const wire = toWire(request, ['Expect: 200-ok', `Content-Length: ${request.body.length}`]);
    expect((await exchange(port, wire)).status).toBe(200);
  });

  it('(more headers than Node keeps) is verified by all of them', async () => {
    const { port } = await start();
    const request = good();
    const { Authorization, ...headers } = request.headers;
    const many = Array.from({ length: 2_500 }, (_, index) => `X${index}: `);
    const more = [...many, `Authorization: ${Authorization}`, `Content-Length: ${request.body.length}`];
    expect((await exchange(port, toWire({ ...request, headers }, more))).status).toBe(200);
  });
});

describe('requests that ask for something of their own', () => {
  it('get the 100 Continue that they wait for', async () => {
    const { port } = await start();
    const request = good();
    const connection = await openConnection(port);
    const length = `Content-Length: ${request.body.length}`;
    connection.send(toWire({ ...request, body: Buffer.alloc(0) }, ['Expect: 100-continue', length]));
    connection.send(request.body);
    expect((await connection.next()).status).toBe(200);
    connection.destroy();
  });

  it('are not upgraded, and still received', async () => {
    const { port } = await start();
    const request = good();
    const more = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQBAAAAAAIAAAAA'];
    const connection = await openConnection(port);
    connection.send(toWire(request, [...more, `Content-Length: ${request.body.length}`]));
    expect((await connection.next()).status).toBe(200);
    connection.destroy();
  });

  it('are no tunnel', async () => {
    const { port } = await start();
    const response = await exchange(port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    expect(response).toMatchObject({ status: 405, body: '{"status":"method-not-allowed"}' });
  });

  it('may be HTTP/1.0', async () => {
    const { port } = await start();
    const wire = toWire(good()).toString('latin1').replace('HTTP/1.1', 'HTTP/1.0');
    const response = await exchange(port, Buffer.from(wire, 'latin1'));
    expect(response.status).toBe(200);
    expect(response.headers.connection).toBe('close');
  });

  it('may close their side once they have sent everything', async () => {
    const { intake, proceed, arrived } = createPausedIntake();
    const { port, receiver } = await start({ intake });
    const senderEnded = new Promise<void>((resolve) => {
      receiver.server.on('connection', (socket) => socket.once('end', () => resolve()));
    });
    const connection = await openConnection(port);
    connection.send(toWire(good()));
    connection.end();
    await Promise.all([arrived, senderEnded]);
    proceed();
    expect((await connection.next()).status).toBe(200);
    await connection.closed;
  });
});

describe('pipelined requests', () => {
  it('are answered in their order', async () => {
    const intake = createMemoryIntake();
    const waiting: (() => void)[] = [];
    const { port } = await start({
      intake: {
        ...intake,
        accept: async (notification) => {
          if (waiting.length < 3) await new Promise<void>((resolve) => waiting.push(resolve));
          return intake.accept(notification);
        },
      },
    });
    const connection = await openConnection(port);
    connection.send(Buffer.concat([good(1), good(2), good(3)].map((request) => toWire(request))));
    await until('all three wait', () => waiting.length === 3);
    // The last is ready first.
    for (const proceed of waiting.reverse()) proceed();
    const answers = [await connection.next(), await connection.next(), await connection.next()];
    expect(answers.map(({ body }) => JSON.parse(body).id)).toEqual(['id-3', 'id-2', 'id-1']);
    connection.destroy();
  });

  it('before a broken one are answered first', async () => {
    const { intake, proceed, arrived } = createPausedIntake();
    const { port } = await start({ intake });
    const connection = await openConnection(port);
    connection.send(Buffer.concat([toWire(good()), Buffer.from('garbage\r\n\r\n')]));
    await arrived;
    proceed();
    expect((await connection.next()).status).toBe(200);
    expect(await connection.next()).toMatchObject(malformed);
    await connection.closed;
  });
});

describe('a sender that leaves', () => {
  it('before its body has come is logged once, and not answered', async () => {
    const { port, lines, answered } = await start();
    const connection = await openConnection(port);
    connection.send(`${head}Content-Length: 100\r\n\r\nsome`);
    await until('the request has begun', () => running?.receiver.server.listening);
    connection.destroy();
    await until('it is logged', () => answered.length > 0);
    expect(lines.filter((line) => line.outcome !== undefined)).toHaveLength(1);
    expect(['aborted', 'malformed']).toContain(answered[0]?.outcome);
  });

  it('before its answer has its notification kept, and the log says that it had gone', async () => {
    const { intake, proceed, arrived } = createPausedIntake();
    const { port, lines, receiver } = await start({ intake });
    const connection = await openConnection(port);
    connection.send(toWire(good()));
    await arrived;
    connection.reset();
    await until('the connection is gone', async () => (await connectionsOf(receiver.server)) === 0);
    proceed();
    await until('it is logged', () => lines.some((line) => line.outcome === 'accepted' && line.senderGone === true));
    expect(intake.accepted).toHaveLength(1);
  });
});

function connectionsOf(server: { getConnections(callback: (error: Error | null, count: number) => void): unknown }) {
  return new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

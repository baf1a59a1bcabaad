import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createForwardHandler } from '../../../src/handlers/builtin/forward.js';
import { isPermanentError, retryAfterMs } from '../../../src/handlers/errors.js';
import type { HandlerContext } from '../../../src/handlers/handler.js';
import { notification } from '../../helpers/notifications.js';

const secret = 'a plain secret, ünïcode too';
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

interface Received {
  method: string | undefined;
  target: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  port: number | undefined;
}

/** A receiver that keeps what it gets and answers as it is told. */
async function receiver(answer: RequestListener): Promise<{ url: string; received: Received[]; server: Server }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: target, headers, socket } = request;
    received.push({ method, target, headers, body: Buffer.concat(chunks), port: socket.remotePort });
    answer(request, response);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=v`, received, server };
}

const answering =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end('an answer');

function context(overrides: Partial<HandlerContext> = {}): HandlerContext {
  return { id: '0198f2c4-id', attempt: 1, signal: new AbortController().signal, ...overrides } as HandlerContext;
}

const message = notification({ what: 'ended', data: { reason: 'ünïcode', extra: { kept: [1] } } });

/** What the attempt threw. */
async function failure(url: string, options: Partial<Parameters<typeof createForwardHandler>[0]> = {}) {
  try {
    await createForwardHandler({ url, secret, ...options }).handle(message, context());
  } catch (error) {
    return error as Error;
  }
  throw new Error('the attempt succeeded');
}

function expectedSignature(key: Buffer, { headers, body }: Received): string {
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body]);
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

describe('the forward handler', () => {
  it('sends every notification as JSON, under its id', async () => {
    const { url, received } = await receiver(answering(204));
    const handler = createForwardHandler({ url, secret, now: () => 1_700_000_000_999 });
    expect(handler).toMatchObject({ name: 'forward', on: '*' });
    await handler.handle(message, context());
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      method: 'POST',
      target: '/hook?key=v',
      headers: {
        'content-type': 'application/json',
        'webhook-id': '0198f2c4-id',
        'webhook-timestamp': '1700000000',
      },
    });
    expect(JSON.parse(String(received[0]?.body))).toEqual(message);
  });

  it.each([
    ['plain text', secret, Buffer.from(secret, 'utf8')],
    [
      'whsec_ and base64',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'),
    ],
  ])('signs with a secret of %s', async (_, text, key) => {
    const { url, received } = await receiver(answering(200));
    await createForwardHandler({ url, secret: text }).handle(message, context());
    const [request] = received as [Received];
    expect(request.headers['webhook-signature']).toBe(expectedSignature(key, request));
  });

  it('keeps the id, and signs the time anew, in each attempt', async () => {
    const { url, received } = await receiver(answering(200));
    let now = 1_700_000_000_000;
    const handler = createForwardHandler({ url, secret, now: () => now });
    await handler.handle(message, context({ attempt: 1 }));
    now += 5000;
    await handler.handle(message, context({ attempt: 2 }));
    expect(received.map(({ headers }) => [headers['webhook-id'], headers['webhook-timestamp']])).toEqual([
      ['0198f2c4-id', '1700000000'],
      ['0198f2c4-id', '1700000005'],
    ]);
    expect(received[1]?.headers['webhook-signature']).toBe(
      expectedSignature(Buffer.from(secret), received[1] as Received),
    );
  });

  it.each([400, 401, 403, 404, 410, 413, 422, 451])('fails for good on %i', async (status) => {
    const { url } = await receiver(answering(status, { 'retry-after': '5' }));
    const error = await failure(url);
    expect(isPermanentError(error)).toBe(true);
    expect(error.message).toMatch(new RegExp(`^expected http://127.0.0.1:\\d+ to answer 2XX; received ${status}$`));
  });

  it.each([408, 409, 425, 429, 500, 502, 503, 504])('is tried again on %i', async (status) => {
    const { url } = await receiver(answering(status));
    const error = await failure(url);
    expect([isPermanentError(error), retryAfterMs(error)]).toEqual([false, undefined]);
    expect(error.message).toContain(`received ${status}`);
  });

  it.each([
    [429, '7', 7000],
    [503, '86400', 3_600_000],
    [503, 'Tue, 14 Nov 2023 22:13:50 GMT', 30_000],
    [503, '0', undefined],
    [500, '7', undefined],
  ])('waits on %i as long as Retry-After %p says', async (status, retryAfter, waitMs) => {
    const { url } = await receiver(answering(status, { 'retry-after': retryAfter }));
    expect(retryAfterMs(await failure(url, { now: () => 1_700_000_000_000 }))).toBe(waitMs);
  });

  it.each([301, 302, 307, 308])('follows no redirect: %i', async (status) => {
    const elsewhere = await receiver(answering(200));
    const { url, received } = await receiver(answering(status, { location: elsewhere.url }));
    const error = await failure(url);
    expect(isPermanentError(error)).toBe(false);
    expect(error.message).toContain(`received ${status}: redirects are not followed`);
    expect([received.length, elsewhere.received.length]).toEqual([1, 0]);
  });

  it('says where it could not connect, with the cause', async () => {
    const { url, server } = await receiver(answering(200));
    server.close();
    await once(server, 'close');
    servers.splice(servers.indexOf(server), 1);
    const error = await failure(url);
    expect(error.message).toMatch(
      /^expected http:\/\/127\.0\.0\.1:\d+ to answer 2XX; received nothing \(ECONNREFUSED\)$/,
    );
    expect(error).toMatchObject({ cause: { cause: { code: 'ECONNREFUSED' } } });
    expect(isPermanentError(error)).toBe(false);
  });

  it('stops when the attempt is aborted', async () => {
    const { url, server } = await receiver(() => {});
    const abort = new AbortController();
    const attempt = createForwardHandler({ url, secret }).handle(message, context({ signal: abort.signal }));
    await once(server, 'request');
    abort.abort(new Error('timed out'));
    await expect(attempt).rejects.toThrow('timed out');
  });

  it('reads the answer to its end, so that the connection is used again', async () => {
    const { url, received } = await receiver((_, response) => {
      response.write(Buffer.alloc(24_000), () => setImmediate(() => response.end(Buffer.alloc(24_000))));
    });
    const handler = createForwardHandler({ url, secret });
    for (let count = 0; count < 10; count += 1) await handler.handle(message, context());
    expect(received).toHaveLength(10);
    // The pool may open a second one before it sees the first come free.
    expect(new Set(received.map(({ port }) => port)).size).toBeLessThanOrEqual(2);
  });

  it('reads no answer that does not end', async () => {
    const { url } = await receiver((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on('drain', more);
      more();
    });
    await createForwardHandler({ url, secret }).handle(message, context());
  });

  it('takes a 2XX for success though its body breaks off', async () => {
    const { url } = await receiver((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('part', () => response.destroy());
    });
    await createForwardHandler({ url, secret }).handle(message, context());
  });

  it.each([
    ['ftp://example.com/', 'ftp://example.com'],
    ['http://user:hunter2@example.com/x?token=hunter2', 'http://example.com with credentials'],
    ['hunter2', 'none'],
  ])('refuses the URL %p without repeating its secrets', (url, received) => {
    const expected = `forward: expected an http or https URL without credentials; received ${received}`;
    expect(() => createForwardHandler({ url, secret })).toThrow(new TypeError(expected));
  });

  it.each(['', 'whsec_', 'whsec_not base64!', 'whsec_ab%%'])('refuses the secret %p without repeating it', (bad) => {
    expect(() => createForwardHandler({ url: 'https://example.com', secret: bad })).toThrow(
      /^forward: expected (a secret; received an empty one|base64 after whsec_ in the secret; received something else)$/,
    );
  });
});

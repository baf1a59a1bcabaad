import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type Express, type Request } from 'express';
import { pino } from 'pino';
import type { InvalidNotification, VerifiedNotification } from '../../src/receiver/intake.js';
import { type SluiceMiddlewareOptions, sluiceMiddleware } from '../../src/receiver/sluice-middleware.js';
import { signIndependently, toWire } from '../protocol/independent-signature.js';
import { startedBody } from './notifications.js';
import { exchange } from './raw-connection.js';

const secrets = ['application-secret'];
let server: Server | undefined;
let lines: Record<string, unknown>[];

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(app: Express): Promise<number> {
  const listening = createServer(app);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

function middleware(options: Partial<SluiceMiddlewareOptions> = {}) {
  lines = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return sluiceMiddleware({ secrets, log, onNotification: async () => {}, ...options });
}

describe('sluiceMiddleware in an app of its own', () => {
  it('calls back with the verified notification and the request, and answers 200', async () => {
    const taken: [VerifiedNotification, Request][] = [];
    const onNotification = async (notification: VerifiedNotification, request: Request) => {
      taken.push([notification, request]);
    };
    const app = express().use('/hooks', express.Router().use('/callback', middleware({ onNotification })));
    const port = await serve(app);
    const body = startedBody();
    const response = await exchange(port, toWire(signIndependently({ target: '/hooks/callback?a=%2F', body })));
    expect(response).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(taken).toHaveLength(1);
    expect(taken[0]?.[0].notification).toEqual(JSON.parse(body));
    expect(taken[0]?.[1].originalUrl).toBe('/hooks/callback?a=%2F');
  });

  it('asks the platform to come again where the callback rejects or throws', async () => {
    const rejecting = middleware({ onNotification: () => Promise.reject(new Error('database away')) });
    const throwing = middleware({
      onNotification: () => {
        throw new Error('unforeseen');
      },
    });
    const port = await serve(express().use('/rejecting', rejecting).use('/throwing', throwing));
    for (const target of ['/rejecting', '/throwing']) {
      const response = await exchange(port, toWire(signIndependently({ target, body: startedBody() })));
      expect(response).toMatchObject({ status: 503, body: '{"status":"capacity"}' });
      expect(response.headers['retry-after']).toBe('3');
    }
  });

  it('answers 401 to what is not authentic, without calling back', async () => {
    let calls = 0;
    const onNotification = async () => {
      calls += 1;
    };
    const port = await serve(express().use('/callback', middleware({ onNotification })));
    const forged = signIndependently({ secret: 'another', body: startedBody() });
    expect((await exchange(port, toWire(forged))).status).toBe(401);
    expect(calls).toBe(0);
    expect(lines).toContainEqual(expect.objectContaining({ reason: 'signature', level: 40 }));
  });

  it('hands over what is authentic but no notification, and then answers 400', async () => {
    const invalid: InvalidNotification[] = [];
    const onInvalid = async (kept: InvalidNotification) => {
      invalid.push(kept);
    };
    const port = await serve(express().use('/callback', middleware({ onInvalid })));
    const response = await exchange(port, toWire(signIndependently({ body: '{}' })));
    expect(response.status).toBe(400);
    expect(invalid.map(({ problem }) => problem)).toEqual(['what: expected a non-empty string']);
  });

  it.each<[string, Express]>([
    ['express.json()', express().use(express.json())],
    ['express.text()', express().use(express.text({ type: '*/*' }))],
    ['express.raw()', express().use(express.raw({ type: '*/*' }))],
    [
      'somebody who only began',
      express().use((request, _response, next) => {
        request.once('data', () => {
          request.pause();
          next();
        });
      }),
    ],
  ])('refuses to guess where %s has read the body, and says what to do', async (_name, app) => {
    const port = await serve(app.use('/callback', middleware()));
    const response = await exchange(port, toWire(signIndependently({ body: startedBody() })));
    expect(response).toMatchObject({ status: 503, body: '{"status":"capacity"}' });
    const said = lines.find((line) => line.outcome === 'unavailable');
    expect(said).toMatchObject({ level: 50, err: { message: expect.stringContaining('in front of express.json()') } });
  });

  it('works behind a body parser that does not apply', async () => {
    const app = express().use(express.urlencoded()).use('/callback', middleware());
    const port = await serve(app);
    expect((await exchange(port, toWire(signIndependently({ body: startedBody() })))).status).toBe(200);
  });

  it('puts a stripped path back, bounds the body, allows the methods of a callback', async () => {
    const port = await serve(express().use('/callback', middleware({ publicBasePath: '/a', bodyLimitBytes: 300 })));
    const signed = signIndependently({ target: '/a/callback', body: startedBody() });
    expect((await exchange(port, toWire({ ...signed, target: '/callback' }))).status).toBe(200);
    const large = toWire({ ...signed, target: '/callback', body: Buffer.alloc(301) });
    expect((await exchange(port, large)).status).toBe(413);
    const response = await exchange(port, 'DELETE /callback HTTP/1.1\r\nHost: x\r\n\r\n');
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, POST, PUT']);
  });

  it.each([[[]], [['']], [['good', '']]])('refuses the secrets %j', (wrong) => {
    expect(() => middleware({ secrets: wrong })).toThrow('secrets: expected one or more that are not empty');
  });
});

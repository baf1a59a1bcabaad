import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, END, EVERY, errorOf, START } from './client-of.js';
import {
  json,
  playlist,
  type RecordedAnswer,
  type RecordedPlatform,
  startRecordedPlatform,
} from './recorded-platform.js';

let platform: RecordedPlatform;
let caller: ReturnType<typeof clientOf>;

beforeEach(async () => {
  platform = await startRecordedPlatform();
  caller = clientOf(platform.url, { timeoutMs: 5000, maxAnswerBytes: 10_000 });
});
afterEach(async () => {
  await caller.close();
  await platform.close();
});

describe('a body that is not what it should be', () => {
  const html = '<html><body><h1>502 Bad Gateway</h1></body></html>';

  it.each([
    ['HTML', { http: 502, type: 'text/html', body: html }, 'http-502', 'immediately-then-backoff'],
    ['HTML under 503', { http: 503, type: 'text/html', body: html }, 'http-503', 'once'],
    ['HTML under 401', { http: 401, type: 'text/html', body: html }, 'http-401', 'never'],
    ['plain text under 400', { http: 400, type: 'text/plain', body: 'bad' }, 'http-400', 'never'],
    ['nothing', { http: 500 }, 'http-500', 'immediately-then-backoff'],
    [
      'JSON cut short',
      { http: 500, type: 'application/json', body: '{"status":"inter' },
      'http-500',
      'immediately-then-backoff',
    ],
    ['JSON that is no object', json(400, 'unauthorized'), 'http-400', 'never'],
    ['null', json(400, null), 'http-400', 'never'],
    ['a status that is no text', json(400, { status: 400 }), 'http-400', 'never'],
    ['a status of several lines', json(400, { status: 'a\nb' }), 'http-400', 'never'],
    ['a status that is a property of every object', json(400, { status: 'constructor' }), 'constructor', 'never'],
    [
      'bytes that are no UTF-8',
      { http: 500, body: Buffer.from([0xff, 0xfe, 0x7b]) },
      'http-500',
      'immediately-then-backoff',
    ],
    ['more than is read', { http: 502, body: 'x'.repeat(5_000_000) }, 'http-502', 'immediately-then-backoff'],
    ['a redirect', { http: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'http-307', 'never'],
  ] as [string, { http: number }, string, string][])(
    'is tolerated in a failure: %s',
    async (_, answer, status, retry) => {
      platform.respond(() => answer);
      for (const operation of EVERY) {
        const error = errorOf(await caller.operations[operation]());
        expect(error).toMatchObject({
          status,
          retry,
          http: 'http' in (answer as object) ? (answer as { http: number }).http : 0,
        });
        expect(error.message).not.toContain('Bad Gateway');
      }
    },
  );

  it.each([
    ['nothing', { http: 200 }],
    ['HTML', { http: 200, type: 'text/html', body: html }],
    ['JSON cut short', { http: 200, type: 'application/json', body: '{"status":"ok","streamId":"s' }],
    ['JSON without what was asked for', json(200, { status: 'ok' })],
    ['values of other types', json(200, { status: 'ok', streamId: 1, sharedSecret: 's', endpoint: ['x'] })],
    ['more than is read', json(200, { status: 'ok', streamId: 's', sharedSecret: 'x'.repeat(20_000), endpoint: 'e' })],
  ] satisfies [string, RecordedAnswer][])('makes no success: %s', async (_, answer) => {
    platform.respond(() => answer);
    for (const operation of EVERY) {
      const error = errorOf(await caller.operations[operation]());
      expect(error).toMatchObject({ status: 'invalid-answer', http: 200, retry: 'never', attempts: 1 });
    }
  });

  it('keeps the answer of a success that lacks something, so that nothing is lost', async () => {
    platform.answers(json(200, { status: 'ok', streamId: 'stream-1' }));
    expect(errorOf(await caller.operations.publish()).answer).toEqual({ status: 'ok', streamId: 'stream-1' });
  });

  it('is a failure where its status says so, whatever the HTTP code', async () => {
    platform.respond(() => json(200, { status: 'unauthorized' }));
    for (const operation of EVERY) {
      expect(errorOf(await caller.operations[operation]())).toMatchObject({
        status: 'unauthorized',
        http: 200,
        attempts: 1,
      });
    }
  });

  it('is never read to its end where it has none', async () => {
    const endless = createServer((_, response) => {
      response.writeHead(200);
      const write = () => response.write('x'.repeat(65_536), (error) => error || setImmediate(write));
      write();
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const other = clientOf(`http://127.0.0.1:${(endless.address() as AddressInfo).port}`);
    expect(errorOf(await other.operations.publish())).toMatchObject({ status: 'invalid-answer', attempts: 1 });
    await other.close();
    endless.closeAllConnections();
    endless.close();
  });
});

describe('a playlist that cannot be read', () => {
  it.each(['', '#EXTM3', 'EXTM3U', '\n#EXTM3U\n', '#EXTM3U8\n', '{"status":"ok"}'])(
    'is no success: %j',
    async (body) => {
      platform.answers(playlist(body));
      expect(errorOf(await caller.client.fetchReplayManifest({ startTime: START, endTime: END }))).toMatchObject({
        status: 'invalid-answer',
        attempts: 1,
      });
    },
  );
});

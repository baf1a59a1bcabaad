import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPlatformClient } from '../../src/platform/create-platform-client.js';
import type { PlatformResult } from '../../src/platform/platform-error.js';
import { clientOf, END, START } from './client-of.js';
import { type RecordedPlatform, startRecordedPlatform } from './recorded-platform.js';

let platform: RecordedPlatform;
let caller: ReturnType<typeof clientOf>;

beforeEach(async () => {
  platform = await startRecordedPlatform();
  caller = clientOf(platform.url);
});
afterEach(async () => {
  await caller.close();
  await platform.close();
});

/** The message, after making sure that the input was refused without a request. */
function refusal(result: PlatformResult<object>): string {
  expect(result).toMatchObject({ ok: false, error: { status: 'invalid-request', retry: 'never', attempts: 0 } });
  expect(platform.requests).toEqual([]);
  return result.ok ? '' : result.error.message;
}

describe('an input that cannot be sent', () => {
  it('is refused with all its problems at once', async () => {
    const message = refusal(
      await caller.client.registerCallback({ protocol: 'ftp', port: '443', path: 'in', query: '?a', url: 1 } as never),
    );
    expect(message).toMatch(/^nothing was sent: /);
    for (const field of ['protocol', 'host', 'port', 'path', 'query', '"url"']) expect(message).toContain(field);
  });

  it.each(['https://cb.example.com', 'cb.example.com:443', 'cb.example.com/in', 'a b', '', '[::1'])(
    'is refused where the host is %j',
    async (host) => {
      expect(refusal(await caller.client.registerCallback({ host }))).toContain('callback.host: expected a host name');
    },
  );

  it('is refused where registering lacks a secret, or Basic authentication cannot carry the application', async () => {
    const other = clientOf(platform.url, { secret: undefined, applicationId: 'a:b' });
    const message = refusal(await other.client.registerCallback({ host: 'cb.example.com' }));
    expect(message).toContain('secret: expected when the client is made');
    expect(message).toContain('applicationId: expected no colon');
  });

  it.each([
    [{ type: 'webm', uri: 'srt://a:1' }, ['type: ', '"mp4"|"m3u8"|"udp"|"srt"|"rtsp"']],
    [{ type: 'srt', uri: 'no uri' }, ['uri: expected an absolute URI']],
    [{ type: 'srt', uri: '' }, ['uri: ']],
    [{ type: 'srt', uri: 'srt://a:1', token: 'two words' }, ['token: expected visible ASCII']],
    [{ type: 'srt', uri: 'srt://a:1', token: 'a\r\nx-header: b' }, ['token: expected visible ASCII']],
    [{ uri: 1, options: 'none', tag: 'x' }, ['type: ', 'uri: ', 'options: ', '"tag"']],
    [undefined, ['expected object']],
  ])('is refused by publishUri: %j', async (input, problems) => {
    const message = refusal(await caller.client.publishUri(input as never));
    for (const problem of problems) expect(message).toContain(problem);
  });

  it.each([
    'rtmps://live.example.com/app/very-secret-key',
    'rtmp://live.example.com/very-secret-key',
    'live.example.com/app/very-secret-key',
    'rtmp://live.example.com/app/very-secret-key with blanks',
  ])('is refused by restream without repeating the key: %s', async (destination) => {
    const message = refusal(await caller.client.restream({ destination }));
    expect(message).toContain('destination: expected rtmp://<host>/<app>/<stream_key>');
    expect(message).not.toContain('very-secret-key');
  });

  it.each([
    [{ startTime: END, endTime: START }, 'endTime: expected after startTime'],
    [{ startTime: START, endTime: START }, 'endTime: expected after startTime'],
    [
      { startTime: '2026-11-20T10:00:00', endTime: END },
      'startTime: expected a Date, or a date and time with its zone',
    ],
    [{ startTime: '2026-02-30T10:00:00Z', endTime: END }, 'startTime: '],
    [{ startTime: new Date('never'), endTime: END }, 'startTime: '],
    [{ startTime: START, endTime: new Date('+010000-01-01T00:00:00Z') }, 'endTime: '],
    [{ startTime: START, endTime: END, type: '..' }, 'type: expected no'],
    [{ startTime: START, endTime: END, apiVersion: 1.5 }, 'apiVersion: '],
    [{ startTime: START, endTime: END, httpRoundTripTime: Number.NaN }, 'httpRoundTripTime: '],
  ])('is refused by fetchReplayManifest: %j', async (input, problem) => {
    expect(refusal(await caller.client.fetchReplayManifest(input))).toContain(problem);
  });

  it('is refused where no token is given anywhere', async () => {
    const other = clientOf(platform.url, { token: undefined });
    expect(refusal(await other.operations.publish())).toContain('token: expected an edge token');
    expect(refusal(await other.operations.replay())).toContain('token: expected an edge token');
    expect(refusal(await other.operations.restream())).toContain('token: expected an edge token');
  });

  it("is refused where the client's own token fits no header", async () => {
    const other = clientOf(platform.url, { token: 'a\nb' });
    expect(refusal(await other.operations.publish())).toContain('token: expected visible ASCII');
  });
});

describe('createPlatformClient', () => {
  it('names every option that it cannot take', () => {
    const options = {
      baseUrl: 'ftp://a',
      applicationId: '..',
      secret: '',
      brand: '',
      timeoutMs: 0,
      maxAnswerBytes: 0.5,
      retry: { maxAttempts: 0, attempts: 3 },
    };
    expect(() => createPlatformClient(options as never)).toThrow(TypeError);
    for (const name of Object.keys(options)) {
      expect(() => createPlatformClient(options as never)).toThrow(new RegExp(`[ ;]${name}`));
    }
  });

  it.each(['nowhere', 'https://user:pw@a.example', 'https://a.example?x=1', 'https://a.example/#x'])(
    'takes no base URL such as %s',
    (baseUrl) => {
      expect(() => createPlatformClient({ baseUrl, applicationId: 'a' })).toThrow(/baseUrl: expected/);
    },
  );
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PublishInput } from '../../src/platform/publish-uri.js';
import type { Callback } from '../../src/protocol/callback-endpoint.js';
import { clientOf, END, START, TOKEN } from './client-of.js';
import { json, playlist, type RecordedPlatform, startRecordedPlatform } from './recorded-platform.js';

const STREAM = { status: 'ok', streamId: 'stream-1', sharedSecret: 'DIGEST:c2VjcmV0', options: [] };
const PRIMARY =
  '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nxhd.m3u8?tenancy=my-application&edgeAuthToken=t&options=a%20b\n';

let platform: RecordedPlatform;
let caller: ReturnType<typeof clientOf>;
const host = () => new URL(platform.url).host;

beforeEach(async () => {
  platform = await startRecordedPlatform();
  caller = clientOf(platform.url);
});
afterEach(async () => {
  await caller.close();
  await platform.close();
});

describe('registerCallback', () => {
  it('sends exactly what the contract wants, with Basic authentication', async () => {
    platform.answers(json(200, { status: 'ok', endpoint: 'POST https://cb.example.com:443/in?a=1&flag' }));
    const callback: Callback = {
      protocol: 'https',
      host: 'cb.example.com',
      port: 443,
      method: 'POST',
      path: '/in',
      query: 'a=1&flag',
    };
    const result = await caller.client.registerCallback(callback);
    expect(result).toEqual({
      ok: true,
      attempts: 1,
      endpoint: 'POST https://cb.example.com:443/in?a=1&flag',
      resolved: callback,
    });
    const body =
      '{"callback":{"protocol":"https","host":"cb.example.com","port":443,"method":"POST","path":"/in","query":"a=1&flag"}}';
    expect(platform.requests).toEqual([
      {
        method: 'PUT',
        target: '/svc/application/my-application/callback',
        headers: {
          host: host(),
          connection: 'keep-alive',
          authorization: `Basic ${Buffer.from('my-application:my-secret').toString('base64')}`,
          'content-type': 'application/json',
          accept: 'application/json',
          'content-length': String(body.length),
        },
        body,
      },
    ]);
  });

  it('leaves defaults to the platform', async () => {
    platform.answers(json(200, { status: 'ok', endpoint: 'POST http://cb.example.com:80/' }));
    const result = await caller.client.registerCallback({ host: 'cb.example.com' });
    expect(platform.requests[0]?.body).toBe('{"callback":{"host":"cb.example.com"}}');
    expect(result).toMatchObject({
      resolved: { protocol: 'http', host: 'cb.example.com', port: 80, method: 'POST', path: '/', query: '' },
    });
  });

  it('sends the credentials in the body on request only, and then no header', async () => {
    platform.answers(json(200, { status: 'ok', endpoint: 'POST http://cb.example.com:80/' }));
    await caller.client.registerCallback({ host: 'cb.example.com' }, { credentials: 'body' });
    expect(platform.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.parse(platform.requests[0]?.body ?? '')).toEqual({
      callback: { host: 'cb.example.com' },
      credentials: { applicationId: 'my-application', secret: 'my-secret' },
    });
  });

  it('encodes credentials as UTF-8', async () => {
    const other = clientOf(platform.url, { applicationId: 'Zürich', secret: 'größe:1' });
    platform.answers(json(200, { status: 'ok', endpoint: 'POST http://cb.example.com:80/' }));
    await other.client.registerCallback({ host: 'cb.example.com' });
    await other.close();
    const [, credentials] = platform.requests[0]?.headers.authorization?.split(' ') ?? [];
    expect(Buffer.from(credentials ?? '', 'base64').toString('utf8')).toBe('Zürich:größe:1');
    expect(platform.requests[0]?.target).toBe('/svc/application/Z%C3%BCrich/callback');
  });

  it('passes on an endpoint of a form it does not know', async () => {
    platform.answers(json(200, { status: 'ok', endpoint: 'PATCH cb.example.com' }));
    expect(await caller.operations.register()).toMatchObject({
      ok: true,
      endpoint: 'PATCH cb.example.com',
      resolved: undefined,
    });
  });
});

describe('publishUri', () => {
  it.each([
    ['mp4', 'https://media.example.com/a.mp4'],
    ['m3u8', 'https://media.example.com/a.m3u8?x=1'],
    ['udp', 'udp://@239.0.0.1:1234'],
    ['srt', 'srt://203.0.113.7:9000?streamid=#!::r=live'],
    ['rtsp', 'rtsp://user:p%40ss@203.0.113.7/live'],
  ] satisfies [PublishInput['type'], string][])('publishes a %s URI with Bearer authentication', async (type, uri) => {
    platform.answers(json(200, STREAM));
    const result = await caller.client.publishUri({ type, uri });
    expect(result).toEqual({
      ok: true,
      attempts: 1,
      streamId: 'stream-1',
      sharedSecret: 'DIGEST:c2VjcmV0',
      options: [],
    });
    const body = JSON.stringify({ uri });
    expect(platform.requests).toEqual([
      {
        method: 'PUT',
        target: `/svc/my-application/stream/publish/uri/${type}`,
        headers: {
          host: host(),
          connection: 'keep-alive',
          authorization: `Bearer ${TOKEN}`,
          accept: 'application/json',
          'content-type': 'application/json',
          'content-length': String(body.length),
        },
        body,
      },
    ]);
  });

  it('sends options and a token of its own where given', async () => {
    platform.answers(json(200, STREAM));
    await caller.client.publishUri({ type: 'srt', uri: 'srt://a:1', options: ['x'], token: 'DIGEST:other' });
    expect(platform.requests[0]?.body).toBe('{"uri":"srt://a:1","options":["x"]}');
    expect(platform.requests[0]?.headers.authorization).toBe('Bearer DIGEST:other');
  });
});

describe('restream', () => {
  const destination = 'rtmp://live.example.com/app/key?a=b';

  it.each([
    [undefined, { uri: destination }],
    ['uri', { uri: destination }],
    ['data', { data: destination }],
    ['both', { uri: destination, data: destination }],
  ] as const)('names the field as asked: %s', async (field, body) => {
    platform.answers(json(200, STREAM));
    expect(await caller.client.restream({ destination, field })).toMatchObject({ ok: true, streamId: 'stream-1' });
    expect(platform.requests).toEqual([
      {
        method: 'PUT',
        target: '/svc/my-application/stream/egress/uri/rtmp',
        headers: {
          host: host(),
          connection: 'keep-alive',
          authorization: `Bearer ${TOKEN}`,
          accept: 'application/json',
          'content-type': 'application/json',
          'content-length': String(JSON.stringify(body).length),
        },
        body: JSON.stringify(body),
      },
    ]);
  });
});

describe('fetchReplayManifest', () => {
  it('puts the token and the times, in the format of the contract, in the query', async () => {
    platform.answers(playlist(PRIMARY));
    await caller.client.fetchReplayManifest({ startTime: new Date(START), endTime: '2026-11-20T12:00:00+01:00' });
    expect(platform.requests).toEqual([
      {
        method: 'GET',
        target:
          '/svc/my-application/stream/replay/primary.m3u8?edgeAuthToken=DIGEST%3AeyJhIjoiYiJ9%2B%2F%3D%3D' +
          '&startTime=2026-11-20T10%3A00%3A00.000Z&endTime=2026-11-20T11%3A00%3A00.000Z',
        headers: { host: host(), connection: 'keep-alive', accept: 'application/json' },
        body: '',
      },
    ]);
  });

  it('sends apiVersion and httpRoundTripTime where given, 0 too', async () => {
    platform.answers(playlist(PRIMARY));
    const times = { startTime: START, endTime: END };
    await caller.client.fetchReplayManifest({ ...times, type: 'xhd', apiVersion: 0, httpRoundTripTime: 12.5 });
    const url = new URL(platform.requests[0]?.target ?? '', platform.url);
    expect(url.pathname).toBe('/svc/my-application/stream/replay/xhd.m3u8');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      edgeAuthToken: TOKEN,
      startTime: START,
      endTime: END,
      apiVersion: '0',
      httpRoundTripTime: '12.5',
    });
  });
});

describe('fetchVariantManifest', () => {
  it("fetches the reference as written, resolved against the primary manifest's URL", async () => {
    platform.answers(playlist(PRIMARY), playlist('#EXTM3U\n#EXTINF:4.5,\nsegment-1.ts\n#EXT-X-ENDLIST\n'));
    const primary = await caller.operations.replay();
    if (!primary.ok || !primary.variants[0]) throw new Error('expected a manifest with a variant');
    const variant = await caller.client.fetchVariantManifest(primary.variants[0]);
    expect(platform.requests[1]).toEqual({
      method: 'GET',
      target: '/svc/my-application/stream/replay/xhd.m3u8?tenancy=my-application&edgeAuthToken=t&options=a%20b',
      headers: { host: host(), connection: 'keep-alive', accept: 'application/json' },
      body: '',
    });
    const url = `${platform.url}/svc/my-application/stream/replay/segment-1.ts`;
    expect(variant).toMatchObject({ ok: true, segments: [{ uri: 'segment-1.ts', url, durationS: 4.5 }], variants: [] });
  });

  it.each([
    'https://elsewhere.example/xhd.m3u8?edgeAuthToken=t',
    '//elsewhere.example/xhd.m3u8?edgeAuthToken=t',
    'http://127.0.0.1:1/xhd.m3u8?edgeAuthToken=t',
    'file:///etc/passwd',
    'data:application/vnd.apple.mpegurl,x',
  ])('sends no token to another origin: %s', async (reference) => {
    platform.answers(playlist(`#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${reference}\n`));
    const primary = await caller.operations.replay();
    if (!primary.ok || !primary.variants[0]) throw new Error('expected a manifest with a variant');
    const result = await caller.client.fetchVariantManifest(primary.variants[0]);
    expect(result).toMatchObject({ ok: false, error: { status: 'foreign-origin', retry: 'never', attempts: 0 } });
    expect(!result.ok && result.error.message).toContain(`edge tokens go to ${platform.url} alone`);
    expect(platform.requests).toHaveLength(1);
  });

  it('refuses a variant that has no URL', async () => {
    expect(await caller.client.fetchVariantManifest({ url: 'xhd.m3u8' })).toMatchObject({
      ok: false,
      error: { status: 'invalid-request' },
    });
  });
});

describe('addresses', () => {
  it.each([
    ['another brand', '', { brand: 'acme' }, '/acme/application/my-application/callback'],
    ['a base URL with a path', '/api/v1/', {}, '/api/v1/svc/application/my-application/callback'],
    [
      'a segment that needs encoding',
      '',
      { applicationId: 'a/b?c#d%2e é' },
      '/svc/application/a%2Fb%3Fc%23d%252e%20%C3%A9/callback',
    ],
  ])('keeps %s', async (_, path, options, target) => {
    const other = clientOf(platform.url + path, options);
    platform.answers(json(200, { status: 'ok', endpoint: 'POST http://cb.example.com:80/' }));
    expect(await other.operations.register()).toMatchObject({ ok: true });
    await other.close();
    expect(platform.requests[0]?.target).toBe(target);
  });
});

import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createManualClock } from '../../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../../src/sandbox/create-sandbox.js';
import type { Sandbox, TokenRequest } from '../../../src/sandbox/sandbox.js';
import { releasers } from '../releasers.js';

interface Manifest {
  playlists?: { uri: string; attributes: Record<string, unknown> }[];
  segments: { uri: string; duration: number; dateTimeString?: string }[];
  endList?: boolean;
  mediaSequence?: number;
  targetDuration?: number;
}
const { Parser } = createRequire(import.meta.url)('m3u8-parser') as {
  Parser: new () => { push(text: string): void; end(): void; manifest: Manifest };
};

const STARTED = Date.parse('2026-09-21T14:00:00.000Z');
const TOKEN: TokenRequest = { capabilities: ['replay'], expiresInMs: 60_000 };
const releasing = releasers();

/** A sandbox with one stream of 10 s that has ended. */
async function setUp() {
  const clock = createManualClock(() => STARTED);
  const sandbox = releasing(await createSandbox({ clock }));
  const stream = sandbox.publish({ durationMs: 10_000, tags: ['one'] });
  await clock.advance(20_000);
  return { sandbox, stream, clock };
}

function time(offsetMs: number): string {
  return new Date(STARTED + offsetMs).toISOString();
}

function replay(sandbox: Sandbox, query: Record<string, string> = {}, file = 'primary.m3u8', token = TOKEN) {
  const range = { startTime: time(0), endTime: time(60_000) };
  return request(sandbox.baseUrl)
    .get(`/svc/sandbox/stream/replay/${file}`)
    .set('Accept', 'application/json')
    .query({ edgeAuthToken: sandbox.createToken(token), ...range, ...query })
    .buffer(true)
    .parse((response, done) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => done(null, text));
    });
}

function parse(text: unknown): Manifest {
  const parser = new Parser();
  parser.push(String(text));
  parser.end();
  return parser.manifest;
}

describe('a replay', () => {
  it('has a primary manifest with the attributes of each quality', async () => {
    const { sandbox } = await setUp();
    const answer = await replay(sandbox);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/vnd.apple.mpegurl; charset=utf-8');
    expect(answer.body).toMatch(/^#EXTM3U\n#EXT-X-STREAM-INF:/);
    const { playlists = [] } = parse(answer.body);
    expect(playlists.map(({ uri }) => uri.split('?')[0])).toEqual(['xhd.m3u8', 'hd.m3u8', 'sd.m3u8']);
    expect(playlists[0]?.attributes).toEqual({
      'PROGRAM-ID': 1,
      RESOLUTION: { width: 1920, height: 1080 },
      CODECS: 'avc1.640028,mp4a.40.2',
      BANDWIDTH: 6_000_000,
      'AVERAGE-BANDWIDTH': '4500000',
      'FRAME-RATE': 30,
    });
    const query = new URLSearchParams(playlists[0]?.uri.split('?')[1]);
    expect([...query.keys()]).toEqual(['tenancy', 'edgeAuthToken', 'startTime', 'endTime', 'options']);
    expect(query.get('tenancy')).toBe('sandbox');
  });

  it('has a quality manifest behind each reference', async () => {
    const { sandbox } = await setUp();
    const primary = await replay(sandbox, { startTime: time(5_000) });
    for (const { uri } of parse(primary.body).playlists ?? []) {
      const answer = await fetch(new URL(uri, `${sandbox.baseUrl}/svc/sandbox/stream/replay/primary.m3u8`));
      expect(answer.headers.get('content-type')).toBe('application/vnd.apple.mpegurl; charset=utf-8');
      const manifest = parse(await answer.text());
      expect(manifest).toMatchObject({ endList: true, mediaSequence: 1, targetDuration: 4 });
      expect(manifest.segments.map(({ duration }) => duration)).toEqual([4, 2]);
      expect(manifest.segments[0]?.dateTimeString).toBe(time(4_000));
    }
  });

  it('has the media of the range alone', async () => {
    const { sandbox } = await setUp();
    const durations = async (from: number, to: number) => {
      const answer = await replay(sandbox, { startTime: time(from), endTime: time(to) }, 'xhd.m3u8');
      return parse(answer.body).segments.map(({ duration }) => duration);
    };
    expect(await durations(-5_000, 60_000)).toEqual([4, 4, 2]);
    expect(await durations(0, 4_000)).toEqual([4]);
    expect(await durations(3_999, 4_001)).toEqual([4, 4]);
    expect(await durations(8_500, 8_600)).toEqual([2]);
  });

  it('is that of the stream that the token names', async () => {
    const { sandbox, stream } = await setUp();
    sandbox.publish({ durationMs: 1_000 });
    const segments = async (token: TokenRequest) =>
      parse((await replay(sandbox, {}, 'hd.m3u8', { ...TOKEN, ...token })).body).segments.map(({ uri }) => uri);
    const mine = expect.stringContaining(encodeURIComponent(stream.streamId));
    expect(await segments({ originStreamId: stream.streamId })).toEqual([mine, mine, mine]);
    expect(await segments({ requiredTag: 'one' })).toEqual([mine, mine, mine]);
  });

  it.each([
    ['the capability is missing', { capabilities: ['publish-uri'] }],
    ['the token is for publishing', { ...TOKEN, type: 'publish' }],
    ['the token has expired', { ...TOKEN, expiresInMs: -1 }],
  ] as [string, TokenRequest][])('is answered 401 where %s', async (_case, token) => {
    const { sandbox } = await setUp();
    const answer = await replay(sandbox, {}, 'primary.m3u8', token);
    expect([answer.status, JSON.parse(answer.body).status]).toEqual([401, 'unauthorized']);
  });

  it('takes a token for streaming', async () => {
    const { sandbox } = await setUp();
    expect((await replay(sandbox, {}, 'primary.m3u8', { ...TOKEN, type: 'stream' })).status).toBe(200);
  });

  it.each([
    [{ startTime: '2026-09-21T14:00:00Z' }, 400, 'invalid-time-range'],
    [{ startTime: '2026-99-21T14:00:00.000Z' }, 400, 'invalid-time-range'],
    [{ endTime: '' }, 400, 'invalid-time-range'],
    [{ endTime: time(0) }, 400, 'invalid-time-range'],
    [{ apiVersion: '1' }, 400, 'invalid-api-version'],
    [{ httpRoundTripTime: 'long' }, 400, 'invalid-round-trip-time'],
    [{ startTime: time(10_000) }, 404, 'no-media'],
    [{ startTime: time(-9_000), endTime: time(-1_000) }, 404, 'stream-not-found'],
  ])('answers to %j with %i %s', async (query, http, status) => {
    const { sandbox } = await setUp();
    const answer = await replay(sandbox, query);
    expect([answer.status, JSON.parse(answer.body).status]).toEqual([http, status]);
  });

  it.each(['uhd.m3u8', 'primary.mpd', 'primary'])('answers 404 to the manifest %s', async (file) => {
    const { sandbox } = await setUp();
    const answer = await replay(sandbox, {}, file);
    expect([answer.status, JSON.parse(answer.body).status]).toEqual([404, 'manifest-not-found']);
  });

  it('takes the parameters that may be left out', async () => {
    const { sandbox } = await setUp();
    expect((await replay(sandbox, { apiVersion: '0', httpRoundTripTime: '12.5' })).status).toBe(200);
  });
});

describe('the playlists that notifications name', () => {
  it('are there while the stream is live and after it ended', async () => {
    const { sandbox, clock } = await setUp();
    const live = sandbox.publish();
    await clock.advance(60_000);
    const uris = sandbox.deliveries().filter(({ message }) => 'uri' in message.data);
    expect(uris).toHaveLength(24);
    for (const { message, streamId, what } of uris) {
      const uri = String(message.data.uri);
      const answer = await fetch(uri);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      if (uri.endsWith('.mpd')) {
        expect(answer.headers.get('content-type')).toBe('application/dash+xml; charset=utf-8');
        expect(text).toContain(streamId === live.streamId ? 'type="dynamic"' : 'type="static"');
      } else if (uri.includes('primary')) expect(parse(text).playlists).toHaveLength(3);
      else {
        const { segments, endList } = parse(text);
        expect(endList).toBe(streamId === live.streamId ? undefined : true);
        expect(segments).toHaveLength(streamId === live.streamId ? 6 : 3);
        expect((await fetch(segments[0]?.uri ?? '')).status).toBe(404);
      }
      expect(what).toMatch(/^(live|on-demand)$/);
    }
    const early = `${sandbox.baseUrl}/sandbox/playlists/${encodeURIComponent(live.streamId)}/on-demand/primary.m3u8`;
    expect((await fetch(early)).status).toBe(404);
  });
});

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createEdgeToken } from '../../../src/protocol/edge-token.js';
import { createManualClock } from '../../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../../src/sandbox/create-sandbox.js';
import type { SandboxOptions, TokenRequest } from '../../../src/sandbox/sandbox.js';
import { releasers } from '../releasers.js';

const releasing = releasers();
const open = async (options: SandboxOptions = {}) =>
  releasing(await createSandbox({ clock: createManualClock(), ...options }));
type Sandbox = Awaited<ReturnType<typeof open>>;

function register(sandbox: Sandbox, body: object | string, application = 'sandbox') {
  return request(sandbox.baseUrl)
    .put(`/svc/application/${application}/callback`)
    .set('Content-Type', 'application/json')
    .set('Accept', 'application/json')
    .send(body);
}

function publish(
  sandbox: Sandbox,
  token: TokenRequest | string,
  body: object = { uri: 'srt://a.example:9' },
  type = 'srt',
) {
  return request(sandbox.baseUrl)
    .put(`/svc/sandbox/stream/publish/uri/${type}`)
    .set('Authorization', `Bearer ${typeof token === 'string' ? token : sandbox.createToken(token)}`)
    .send(body);
}

function restream(
  sandbox: Sandbox,
  token: TokenRequest,
  body: object = { uri: 'rtmp://a.example/live/key' },
  protocol = 'rtmp',
) {
  return request(sandbox.baseUrl)
    .put(`/svc/sandbox/stream/egress/uri/${protocol}`)
    .set('Authorization', `Bearer ${sandbox.createToken(token)}`)
    .send(body);
}

const PUBLISH: TokenRequest = { capabilities: ['publish-uri', 'streaming'] };
const EGRESS: TokenRequest = { type: 'stream', capabilities: ['egress'] };

describe('registering', () => {
  it('answers the endpoint with every default filled in', async () => {
    const sandbox = await open();
    const answer = await register(sandbox, { callback: { host: 'me.example' } }).auth('sandbox', 'sandbox-secret');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({ status: 'ok', endpoint: 'POST http://me.example:80/' });
    expect(sandbox.info().endpoint).toBe('POST http://me.example:80/');
  });

  it('answers the endpoint as it was given', async () => {
    const callback = { protocol: 'https', host: 'me.example', method: 'PUT', path: '/x', query: 'a=1&flag' };
    const answer = await register(await open(), { callback }).auth('sandbox', 'sandbox-secret');
    expect(answer.body.endpoint).toBe('PUT https://me.example:443/x?a=1&flag');
  });

  it.each(['localhost', 'a_b.example.', '127.0.0.1', '[::1]', '::1'])('takes the host %s', async (host) => {
    const answer = await register(await open(), { callback: { host } }).auth('sandbox', 'sandbox-secret');
    expect([answer.status, answer.body.endpoint]).toEqual([200, `POST http://${host}:80/`]);
  });

  it('takes credentials in the body too, as the contract still allows', async () => {
    const callback = { host: 'me.example', port: 3000 };
    const credentials = { applicationId: 'sandbox', secret: 'sandbox-secret' };
    const sandbox = await open();
    expect((await register(sandbox, { callback, credentials })).status).toBe(200);
    const wrong = await register(sandbox, { callback, credentials: { ...credentials, secret: 'other' } });
    expect([wrong.status, wrong.body.status]).toEqual([401, 'unauthorized']);
  });

  it.each([
    ['no credentials', undefined, 'sandbox'],
    ['another secret', ['sandbox', 'other'], 'sandbox'],
    ['another application', ['other', 'sandbox-secret'], 'other'],
    ['another application in the path', ['sandbox', 'sandbox-secret'], 'other'],
  ])('answers 401 to %s', async (_case, credentials, application) => {
    const sandbox = await open();
    const sent = register(sandbox, { callback: { host: 'me.example' } }, application);
    const answer = await (credentials ? sent.auth(String(credentials[0]), String(credentials[1])) : sent);
    expect([answer.status, answer.body.status]).toEqual([401, 'unauthorized']);
    expect(sandbox.info().endpoint).toBeNull();
  });

  it.each([
    [{ callback: {} }, 'missing-host'],
    [{ callback: { host: '' } }, 'missing-host'],
    [{}, 'missing-callback'],
    [{ callback: { host: 'a', port: '80' } }, 'invalid-callback'],
    [{ callback: { host: 'http://a' } }, 'invalid-callback'],
    [{ callback: { host: 'a:3000' } }, 'invalid-callback'],
    [{ callback: { host: 'a/b' } }, 'invalid-callback'],
    [{ callback: { host: 'me@a' } }, 'invalid-callback'],
    [{ callback: { host: 'a b' } }, 'invalid-callback'],
    [{ callback: { host: 'a', method: 'DELETE' } }, 'invalid-callback'],
    [{ callback: { host: 'a', protocol: 'ftp' } }, 'invalid-callback'],
    [{ callback: { host: 'a', path: 'no-slash' } }, 'invalid-callback'],
    [{ callback: { host: 'a', path: '/ü' } }, 'invalid-callback'],
    ['{', 'invalid-json'],
    ['[]', 'invalid-json'],
  ])('answers 400 to %j', async (body, status) => {
    const answer = await register(await open(), body).auth('sandbox', 'sandbox-secret');
    expect([answer.status, answer.body.status]).toEqual([400, status]);
  });

  it('answers 400 to another content type', async () => {
    const answer = await register(await open(), '{}')
      .auth('sandbox', 'sandbox-secret')
      .set('Content-Type', 'text/plain');
    expect([answer.status, answer.body.status]).toEqual([400, 'invalid-content-type']);
  });
});

describe('publishing a URI', () => {
  it.each([
    ['mp4', 'https://a.example/film.mp4'],
    ['m3u8', 'http://a.example/live.m3u8'],
    ['udp', 'udp://239.0.0.1:1234'],
    ['srt', 'srt://a.example:9000?mode=caller'],
    ['rtsp', 'rtsp://camera.example/1'],
  ])('starts a stream of type %s', async (type, uri) => {
    const sandbox = await open();
    const token = { ...PUBLISH, applyTags: ['news'], sessionId: 'session-9' };
    const answer = await publish(sandbox, token, { uri, options: [] }, type);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: 'ok',
      streamId: expect.any(String),
      sharedSecret: expect.stringMatching(/^DIGEST:/),
      options: [],
    });
    expect(sandbox.streams()).toMatchObject([
      { streamId: answer.body.streamId, uri, tags: ['news'], capabilities: ['streaming'], sessionId: 'session-9' },
    ]);
  });

  it.each([
    ['a lacking capability', { capabilities: ['streaming'] }],
    ['no capabilities', {}],
    ['an expired token', { ...PUBLISH, expiresInMs: -1 }],
    ['a token for streaming', { ...PUBLISH, type: 'stream' }],
    ['a token for authenticating', { ...PUBLISH, type: 'auth' }],
    ['a token of another address', { ...PUBLISH, remoteAddress: '192.0.2.1' }],
  ] as [string, TokenRequest][])('answers 401 to %s', async (_case, token) => {
    const sandbox = await open();
    const answer = await publish(sandbox, token);
    expect([answer.status, answer.body.status]).toEqual([401, 'unauthorized']);
    expect(sandbox.streams()).toEqual([]);
  });

  it.each([
    ['for publishing', { ...PUBLISH, type: 'publish' }],
    ['of this address', { ...PUBLISH, remoteAddress: '127.0.0.1' }],
  ] as [string, TokenRequest][])('takes a token %s', async (_case, token) => {
    expect((await publish(await open(), token)).status).toBe(200);
  });

  it('answers 401 to tokens that are altered, forged, or of another application', async () => {
    const sandbox = await open();
    const claims = { capabilities: ['publish-uri'], expires: Date.now() + 60_000 };
    const right = createEdgeToken({ ...claims, applicationId: 'sandbox', secret: 'sandbox-secret' });
    const envelope = JSON.parse(Buffer.from(right.slice(7), 'base64').toString());
    const altered = { ...envelope, token: envelope.token.replace('publish-uri', 'publish-uri","streaming') };
    const tokens = [
      `DIGEST:${Buffer.from(JSON.stringify(altered)).toString('base64')}`,
      createEdgeToken({ ...claims, applicationId: 'sandbox', secret: 'other' }),
      createEdgeToken({ ...claims, applicationId: 'other', secret: 'sandbox-secret' }),
      right.slice(0, -8),
      right.slice(7),
      'nonsense',
    ];
    for (const token of tokens) {
      const answer = await publish(sandbox, token);
      expect([answer.status, answer.body.status]).toEqual([401, 'unauthorized']);
    }
    expect((await publish(sandbox, right)).status).toBe(200);
    const without = await request(sandbox.baseUrl)
      .put('/svc/sandbox/stream/publish/uri/srt')
      .send({ uri: 'srt://a:1' });
    expect(without.status).toBe(401);
    const elsewhere = await request(sandbox.baseUrl)
      .put('/svc/other/stream/publish/uri/srt')
      .set('Authorization', `Bearer ${right}`)
      .send({ uri: 'srt://a:1' });
    expect(elsewhere.status).toBe(401);
  });

  it('answers 409 to more than one ingest capability, those of the setting', async () => {
    const two = { capabilities: ['publish-uri', 'hd', 'xhd'] };
    const answer = await publish(await open(), two);
    expect([answer.status, answer.body.status]).toEqual([409, 'conflicting-capability']);
    expect((await publish(await open(), { capabilities: ['publish-uri', 'hd', 'hd'] })).status).toBe(200);
    const sandbox = await open({ ingestCapabilities: ['cam', 'studio'] });
    expect((await publish(sandbox, two)).status).toBe(200);
    expect((await publish(sandbox, { capabilities: ['publish-uri', 'cam', 'studio'] })).status).toBe(409);
  });

  it.each([
    [{ uri: 'no uri' }, 415, 'invalid-source-uri'],
    [{ uri: '' }, 415, 'invalid-source-uri'],
    [{ uri: 'srt://' }, 415, 'invalid-source-uri'],
    [{ uri: 'https://a.example/film.mp4' }, 415, 'invalid-source-uri'],
    [{}, 400, 'missing-uri'],
    [{ uri: 1 }, 400, 'missing-uri'],
    [{ uri: 'srt://a:1', options: {} }, 400, 'invalid-options'],
  ])('answers to %j with %i %s', async (body, http, status) => {
    const answer = await publish(await open(), PUBLISH, body);
    expect([answer.status, answer.body.status]).toEqual([http, status]);
  });

  it('answers 400 to a type that is none', async () => {
    const answer = await publish(await open(), PUBLISH, { uri: 'srt://a:1' }, 'constructor');
    expect([answer.status, answer.body.status]).toEqual([400, 'unsupported-type']);
  });
});

describe('restreaming', () => {
  it.each(['uri', 'data'])(
    'takes the destination in the field %s and answers with the source stream',
    async (field) => {
      const sandbox = await open();
      const { streamId, sharedSecret } = sandbox.publish();
      const answer = await restream(sandbox, EGRESS, { [field]: 'rtmp://a.example/live/key' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: 'ok', streamId, sharedSecret, options: [] });
    },
  );

  it.each([
    ['without a type', { capabilities: ['egress'] }],
    ['for publishing', { ...EGRESS, type: 'publish' }],
    ['without the capability', { type: 'stream', capabilities: ['streaming'] }],
  ] as [string, TokenRequest][])('answers 401 to a token %s', async (_case, token) => {
    const sandbox = await open();
    sandbox.publish();
    const answer = await restream(sandbox, token);
    expect([answer.status, answer.body.status]).toEqual([401, 'unauthorized']);
  });

  it('answers 415 where the source was published without streaming', async () => {
    const sandbox = await open();
    sandbox.publish({ capabilities: ['on-demand'] });
    const answer = await restream(sandbox, EGRESS);
    expect([answer.status, answer.body.status]).toEqual([415, 'requires-streaming']);
  });

  it('relays the stream that the token names, by identifier or by tag', async () => {
    const sandbox = await open();
    const [first, second] = [sandbox.publish({ tags: ['one'] }), sandbox.publish()];
    const named = async (token: TokenRequest) => (await restream(sandbox, { ...EGRESS, ...token })).body.streamId;
    expect(await named({})).toBe(second.streamId);
    expect(await named({ originStreamId: first.streamId })).toBe(first.streamId);
    expect(await named({ requiredTag: 'one' })).toBe(first.streamId);
  });

  it('answers 404 where no such stream is live', async () => {
    const sandbox = await open();
    const { streamId } = sandbox.publish();
    sandbox.endStream(streamId);
    const answer = await restream(sandbox, { ...EGRESS, originStreamId: streamId });
    expect([answer.status, answer.body.status]).toEqual([404, 'stream-not-found']);
  });

  it.each([
    [{ uri: 'rtmp://a.example/live' }, 'rtmp', 'invalid-destination'],
    [{ uri: 'http://a.example/live/key' }, 'rtmp', 'invalid-destination'],
    [{}, 'rtmp', 'invalid-destination'],
    [{ uri: 'rtmp://a.example/live/key' }, 'srt', 'unsupported-protocol'],
  ])('answers 400 to %j over %s', async (body, protocol, status) => {
    const sandbox = await open();
    sandbox.publish();
    const answer = await restream(sandbox, EGRESS, body, protocol);
    expect([answer.status, answer.body.status]).toEqual([400, status]);
  });
});

describe('other requests', () => {
  it('are answered in JSON, with 404 where there is nothing', async () => {
    const sandbox = await open();
    for (const path of ['/', '/SVC/sandbox/stream/replay/primary.m3u8', '/svc/sandbox/stream/publish/uri/srt']) {
      const answer = await request(sandbox.baseUrl).get(path);
      expect([answer.status, answer.body.status]).toEqual([404, 'not-found']);
    }
  });

  it('carry the brand in their path', async () => {
    const sandbox = await open({ brand: 'Acme' });
    const sent = request(sandbox.baseUrl).put('/acme/application/sandbox/callback').auth('sandbox', 'sandbox-secret');
    expect((await sent.send({ callback: { host: 'a' } })).status).toBe(200);
  });

  it('are answered 400 where the path is broken, and 413 where the body is too large', async () => {
    const sandbox = await open();
    expect((await request(sandbox.baseUrl).put('/svc/application/%zz/callback')).status).toBe(400);
    const large = await publish(sandbox, PUBLISH, { uri: 'x'.repeat(1_100_000) });
    expect([large.status, large.body.status]).toEqual([413, 'payload-too-large']);
  });
});

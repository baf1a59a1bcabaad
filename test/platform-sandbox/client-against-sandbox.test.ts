import { describe, expect, it } from '@jest/globals';
import type { Callback } from '../../src/protocol/callback-endpoint.js';
import { startReceiver } from '../sandbox/receiver.js';
import { releasers } from '../sandbox/releasers.js';
import { errorOf, openBoth } from './open-both.js';

const releasing = releasers();
const open = async (...options: Parameters<typeof openBoth>) => releasing(await openBoth(...options));

describe('registering', () => {
  const callbacks: [Callback, string][] = [
    [{ host: 'me.example' }, 'POST http://me.example:80/'],
    [{ host: 'me.example', protocol: 'https' }, 'POST https://me.example:443/'],
    [{ host: '203.0.113.7', port: 8080, method: 'PUT' }, 'PUT http://203.0.113.7:8080/'],
    [{ host: '[2001:db8::7]', method: 'GET', path: '/a%20b' }, 'GET http://[2001:db8::7]:80/a%20b'],
    [{ host: 'me.example', path: '/x', query: 'a=1&b=%26&flag' }, 'POST http://me.example:80/x?a=1&b=%26&flag'],
  ];

  it.each(callbacks)('%j: both sides read the same endpoint', async (callback, endpoint) => {
    const { client, sandbox } = await open();
    const result = await client.registerCallback(callback);
    expect(result).toMatchObject({ ok: true, attempts: 1, endpoint, resolved: callback });
    expect(sandbox.info().endpoint).toBe(endpoint);
  });

  it.each(['header', 'body'] as const)('takes credentials in the %s, and no others', async (credentials) => {
    const identity = { applicationId: 'an application/of #1', secret: 'sécret:with=signs, 鍵' };
    const { client, sandbox } = await open(identity);
    expect(await client.registerCallback({ host: 'a.example' }, { credentials })).toMatchObject({ ok: true });
    const stranger = await open(identity, { secret: 'another', baseUrl: sandbox.baseUrl });
    const refused = errorOf(await stranger.client.registerCallback({ host: 'b.example' }, { credentials }));
    expect(refused).toMatchObject({ status: 'unauthorized', http: 401, retry: 'never', attempts: 1 });
    expect(sandbox.info().endpoint).toBe('POST http://a.example:80/');
  });

  it('needs the body for an application that Basic authentication cannot name', async () => {
    const { client } = await open({ applicationId: 'a:b' });
    expect(errorOf(await client.registerCallback({ host: 'a' }))).toMatchObject({ status: 'invalid-request' });
    expect(await client.registerCallback({ host: 'a' }, { credentials: 'body' })).toMatchObject({ ok: true });
  });

  it.each(['GET', 'POST', 'PUT'] as const)('leads notifications to the endpoint, by %s', async (method) => {
    const receiver = releasing(await startReceiver({ method, path: '/hooks/%7Eme', query: 'a=1&flag', brand: 'acme' }));
    const { client, sandbox, clock } = await open({ brand: 'Acme' }, { brand: 'acme' });
    expect(await client.registerCallback(receiver.callback)).toMatchObject({ ok: true });
    sandbox.publish();
    await clock.advance(0);
    const [received] = receiver.authentic();
    expect(received).toMatchObject({ method, target: '/hooks/%7Eme?a=1&flag' });
    expect(received?.headers.host).toEqual([`127.0.0.1:${receiver.callback.port}`]);
    expect(received?.headers['content-length']).toEqual([String(Buffer.byteLength(received?.body ?? ''))]);
    expect(received?.headers['transfer-encoding']).toBeUndefined();
  });
});

describe('publishing', () => {
  it.each([
    ['mp4', 'https://media.example.com/film.mp4'],
    ['m3u8', 'http://media.example.com/live.m3u8?token=a%20b'],
    ['udp', 'udp://239.0.0.1:1234'],
    ['srt', 'srt://encoder.example.com:9000?mode=caller'],
    ['rtsp', 'rtsp://camera.example.com/1'],
  ] as const)('starts a stream of type %s with what its token says', async (type, uri) => {
    const { client, sandbox, token } = await open();
    const capabilities = ['publish-uri', 'streaming', 'hd'];
    const claims = { type: 'publish' as const, capabilities, applyTags: ['news'], sessionId: 's-1' };
    const result = await client.publishUri({ type, uri, options: [], token: token(claims) });
    const [stream] = sandbox.streams();
    const { streamId, sharedSecret } = stream ?? {};
    expect(result).toEqual({ ok: true, attempts: 1, streamId, sharedSecret, options: [] });
    expect(stream).toMatchObject({ uri, tags: ['news'], capabilities: ['streaming', 'hd'], sessionId: 's-1' });
  });
});

describe('restreaming', () => {
  it.each(['uri', 'data', 'both'] as const)('names the destination by %s', async (field) => {
    const { client, sandbox, token } = await open();
    const [first] = [sandbox.publish(), sandbox.publish()];
    const egress = { type: 'stream' as const, capabilities: ['egress'], originStreamId: first.streamId };
    const result = await client.restream({ destination: 'rtmp://a.example/app/key', field, token: token(egress) });
    const { streamId, sharedSecret } = first;
    expect(result).toEqual({ ok: true, attempts: 1, streamId, sharedSecret, options: [] });
  });
});

describe('what fails and passes', () => {
  it('is repeated by the client as the contract guides, and the sandbox sees every request', async () => {
    const { sandbox, waits, operations } = await open();
    sandbox.answerNext({ operation: 'publish', http: 504 });
    sandbox.answerNext({ operation: 'publish', http: 500, notJson: true });
    sandbox.answerNext({ operation: 'publish', http: 503 });
    expect(await operations.publish()).toMatchObject({ ok: true, attempts: 4 });
    expect(waits).toEqual([0, 1000, 1000]);
    expect(sandbox.preparedAnswers()).toEqual([]);
    expect(sandbox.streams()).toHaveLength(1);
  });

  it('is an answer that comes too late as well', async () => {
    const { sandbox, operations } = await open({}, { timeoutMs: 1000 });
    sandbox.answerNext({ operation: 'publish', http: 503, delayMs: 60_000 });
    expect(await operations.publish()).toMatchObject({ ok: true, attempts: 2 });
    expect(sandbox.streams()).toHaveLength(1);
  });
});

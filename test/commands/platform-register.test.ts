import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { json } from '../platform/recorded-platform.js';
import { APPLICATION, startPlatformCommands } from './run-platform.js';

let commands: Awaited<ReturnType<typeof startPlatformCommands>>;

beforeEach(async () => {
  commands = await startPlatformCommands();
});
afterEach(() => commands.close());

describe('sluice platform register', () => {
  it('registers where this service listens, and shows what the platform resolved', async () => {
    commands.platform.answers(json(200, { status: 'ok', endpoint: 'POST https://cb.example.com:443/callback' }));
    const run = await commands.sluice('register', '--host', 'cb.example.com', '--protocol', 'https');
    expect(run).toEqual({
      code: 0,
      out: 'registered  POST https://cb.example.com:443/callback\nlistening   GET|POST|PUT /callback',
      err: '',
    });
    expect(commands.sent().callback).toEqual({ path: '/callback', protocol: 'https', host: 'cb.example.com' });
    expect(commands.sent().bearer).toBe(`Basic ${Buffer.from('my-application:my-secret').toString('base64')}`);
  });

  it('takes the path under which a proxy passes requests on', async () => {
    Object.assign(commands.env, { PUBLIC_BASE_PATH: '/hooks/', CALLBACK_PATH: '/in' });
    commands.platform.answers(json(200, { status: 'ok', endpoint: 'POST https://cb.example.com:443/hooks/in' }));
    const run = await commands.sluice('register', '--host', 'cb.example.com', '--protocol', 'https');
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(commands.sent().callback.path).toBe('/hooks/in');
  });

  it('takes the endpoint in parts, or as a URL', async () => {
    const callback = {
      protocol: 'https',
      host: 'cb.example.com',
      port: 8443,
      path: '/callback',
      query: 'a=1&flag',
      method: 'PUT',
    };
    const endpoint = 'PUT https://cb.example.com:8443/callback?a=1&flag';
    commands.platform.answers(json(200, { status: 'ok', endpoint }), json(200, { status: 'ok', endpoint }));
    const parts = ['--protocol', 'https', '--port', '8443', '--path', '/callback', '--query', 'a=1&flag'];
    expect(await commands.sluice('register', '--host', 'cb.example.com', ...parts, '--method', 'PUT')).toMatchObject({
      code: 0,
      err: '',
    });
    const url = 'https://cb.example.com:8443/callback?a=1&flag';
    expect(await commands.sluice('register', '--callback', url, '--method', 'PUT')).toMatchObject({ code: 0, err: '' });
    expect(commands.sent(0).callback).toEqual(callback);
    expect(commands.sent(1).callback).toEqual(callback);
  });

  it.each([
    ['POST https://cb.example.com:443/', ['path: notifications go to /, this service listens on /callback']],
    [
      'POST http://cb.example.com:80/callback',
      ['protocol: asked for https, the platform resolved http', 'port: asked for 443', 'unencrypted'],
    ],
    ['POST https://cb.example.com:8443/callback', ['port: asked for 443, the platform resolved 8443']],
    [
      'POST https://other.example.com:443/callback',
      ['host: asked for cb.example.com, the platform resolved other.example.com'],
    ],
    [
      'POST https://cb.example.com:443/callback/',
      [
        'path: asked for /callback, the platform resolved /callback/',
        'go to /callback/, this service listens on /callback',
      ],
    ],
    ['POST https://cb.example.com:443', ['path: notifications go to /, this service listens on /callback']],
    ['GET https://cb.example.com:443/callback', ['method: asked for POST, the platform resolved GET']],
    ['POST https://cb.example.com:443/callback?a=1', ['query: asked for none, the platform resolved a=1']],
    [
      'PATCH https://cb.example.com:443/callback',
      ['method: the platform will send PATCH; this service takes GET, POST, PUT alone'],
    ],
    ['cb.example.com', ['the endpoint has an unknown form']],
  ])('warns where the platform resolved %s', async (endpoint, warnings) => {
    commands.platform.answers(json(200, { status: 'ok', endpoint }), json(200, { status: 'ok', endpoint }));
    const words = ['register', '--host', 'cb.example.com', '--protocol', 'https'];
    const run = await commands.sluice(...words);
    expect(run).toMatchObject({ code: 0, out: expect.stringContaining(`registered  ${endpoint}\n`) });
    for (const warning of warnings) expect(run.err).toMatch(new RegExp(`^warning: .*${warning}`, 'm'));
    const printed = JSON.parse((await commands.sluice(...words, '--json')).out);
    expect(printed.warnings.map((warning: string) => `warning: ${warning}`).join('\n')).toBe(run.err);
  });

  it('does not mind case of hosts, or http on this machine', async () => {
    commands.platform.answers(json(200, { status: 'ok', endpoint: 'POST http://localhost:3000/callback' }));
    const run = await commands.sluice('register', '--host', 'LOCALHOST', '--port', '3000');
    expect(run).toMatchObject({ code: 0, err: '' });
  });

  it('prints everything as JSON', async () => {
    commands.platform.answers(json(200, { status: 'ok', endpoint: 'POST https://cb.example.com:443/callback' }));
    const run = await commands.sluice('register', '--host', 'cb.example.com', '--protocol', 'https', '--json');
    expect(JSON.parse(run.out)).toEqual({
      ok: true,
      attempts: 1,
      endpoint: 'POST https://cb.example.com:443/callback',
      resolved: { protocol: 'https', host: 'cb.example.com', port: 443, method: 'POST', path: '/callback', query: '' },
      asked: 'POST https://cb.example.com:443/callback',
      listening: { methods: ['GET', 'POST', 'PUT'], path: '/callback' },
      warnings: [],
    });
  });

  it('sends the credentials in the body on request', async () => {
    commands.platform.answers(json(200, { status: 'ok', endpoint: 'POST https://cb.example.com:443/callback' }));
    await commands.sluice('register', '--host', 'cb.example.com', '--credentials-in-body');
    expect(JSON.parse(commands.sent().body ?? '').credentials).toEqual(APPLICATION);
    expect(commands.sent().bearer).toBeUndefined();
  });

  it('reads the newest secret, out of a file too, and the brand of the headers', async () => {
    const path = await commands.file('newest, older\n');
    Object.assign(commands.env, { APPLICATION_SECRET: undefined, APPLICATION_SECRET_FILE: path, HEADER_BRAND: 'Acme' });
    commands.platform.answers(json(200, { status: 'ok', endpoint: 'POST https://cb.example.com:443/callback' }));
    await commands.sluice('register', '--host', 'cb.example.com');
    expect(commands.sent().bearer).toBe(`Basic ${Buffer.from('my-application:newest').toString('base64')}`);
    expect(commands.sent().target).toBe('/acme/application/my-application/callback');
  });

  it.each([
    [[], 'missing: the endpoint (--host or --callback)'],
    [['--callback', 'cb.example.com'], '--callback: expected a URL'],
    [['--host', 'https://cb.example.com'], 'callback.host: expected a host name'],
    [['--host', 'a', '--port', 'x', '--method', 'PATCH'], 'callback.port: .*; callback.method: '],
    [['--host', 'a', '--callback', 'https://a'], "cannot be used with option '--host"],
  ])('is a usage error: %j', async (words, message) => {
    const run = await commands.sluice('register', ...words);
    expect(run.code).toBe(2);
    expect(run.err).toMatch(new RegExp(message.replace(/[()]/g, '\\$&')));
    expect(commands.platform.requests).toEqual([]);
  });
});

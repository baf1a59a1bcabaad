import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EdgeTokenOptions } from '../../src/protocol/edge-token.js';
import { json } from '../platform/recorded-platform.js';
import { NOW, STREAM, startPlatformCommands, token } from './run-platform.js';

let commands: Awaited<ReturnType<typeof startPlatformCommands>>;

beforeEach(async () => {
  commands = await startPlatformCommands();
});
afterEach(() => commands.close());

describe('sluice platform publish', () => {
  it.each([
    ['srt://203.0.113.7:9000', 'srt'],
    ['rtsp://203.0.113.7/live', 'rtsp'],
    ['udp://@239.0.0.1:1234', 'udp'],
    ['https://media.example.com/a.mp4?x=1', 'mp4'],
    ['https://media.example.com/a.m3u8', 'm3u8'],
  ])('publishes %s by its own type', async (uri, type) => {
    commands.platform.answers(STREAM);
    expect(await commands.sluice('publish', uri, '--token', token())).toEqual({
      code: 0,
      out: 'stream         stream-1\nshared secret  shown with --json alone',
      err: '',
    });
    expect(commands.sent()).toMatchObject({
      target: `/svc/my-application/stream/publish/uri/${type}`,
      body: JSON.stringify({ uri }),
      bearer: `Bearer ${token()}`,
    });
  });

  it('shows the secret with --json', async () => {
    commands.platform.answers(STREAM);
    const run = await commands.sluice(
      'publish',
      'https://media.example.com/stream',
      '--type',
      'mp4',
      '--token',
      token(),
      '--json',
    );
    expect(JSON.parse(run.out)).toEqual({
      ok: true,
      attempts: 1,
      streamId: 'stream-1',
      sharedSecret: 'DIGEST:c2VjcmV0',
      options: [],
    });
  });

  it('takes the token from a flag, a file, SLUICE_TOKEN or SLUICE_TOKEN_FILE, in this order', async () => {
    const [first, second, third] = [token(), token({ sessionId: '2' }), token({ sessionId: '3' })];
    const path = await commands.file(`${second}\n`);
    commands.platform.answers(STREAM, STREAM, STREAM, STREAM);
    Object.assign(commands.env, { SLUICE_TOKEN: third });
    const uri = 'srt://203.0.113.7:9000';
    await commands.sluice('publish', uri, '--token', first);
    await commands.sluice('publish', uri, '--token-file', path);
    await commands.sluice('publish', uri);
    Object.assign(commands.env, { SLUICE_TOKEN: undefined, SLUICE_TOKEN_FILE: path });
    await commands.sluice('publish', uri);
    expect(commands.platform.requests.map(({ headers }) => headers.authorization)).toEqual(
      [first, second, third, second].map((each) => `Bearer ${each}`),
    );
  });

  it.each([
    [{ expires: NOW - 1 }, 'the token expired at 2026-11-20T11:59:59.999Z'],
    [{ capabilities: ['streaming'] }, 'the token lacks the capability publish-uri'],
    [{ applicationId: 'other' }, 'the token is for application other'],
    [{ type: 'stream' }, 'the token is of type stream, expected publish'],
  ] satisfies [Partial<EdgeTokenOptions>, string][])(
    'warns of a token that will not do, and asks the platform: %j',
    async (claims, warning) => {
      commands.platform.answers(json(401, { status: 'unauthorized' }));
      const run = await commands.sluice('publish', 'srt://203.0.113.7:9000', '--token', token(claims));
      expect(run.code).toBe(1);
      expect(run.err).toContain(`warning: ${warning}\nsluice: PUT `);
      expect(commands.platform.requests).toHaveLength(1);
    },
  );

  it('takes a token of another form as it is', async () => {
    commands.platform.answers(STREAM);
    expect(await commands.sluice('publish', 'srt://203.0.113.7:9000', '--token', 'opaque')).toMatchObject({
      code: 0,
      err: '',
    });
  });

  it.each([
    [['https://media.example.com/stream'], 'the URI does not tell its type'],
    [['srt://a:1', '--type', 'webm'], 'type: Invalid option'],
    [['srt://a:1', '--token', 'a', '--token-file', 'b'], 'cannot be used with option'],
    [['srt://a:1', '--token-file', '/nowhere'], '--token-file: cannot read /nowhere (ENOENT)'],
    [['srt://a:1', '--timeout', '10'], 'Expected a duration above 0 with its unit'],
    [['srt://a:1', '--attempts', '0'], 'retry.maxAttempts: '],
    [['srt://a:1', '--url', 'nowhere'], 'baseUrl: expected an http or https URL'],
    [[], "missing required argument 'uri'"],
  ])('is a usage error: %j', async (words, message) => {
    Object.assign(commands.env, { SLUICE_TOKEN: token() });
    const run = await commands.sluice('publish', ...words);
    expect(run).toMatchObject({ code: 2, out: '' });
    expect(run.err).toContain(message);
    expect(commands.platform.requests).toEqual([]);
  });
});

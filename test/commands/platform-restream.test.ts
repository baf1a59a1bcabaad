import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { json } from '../platform/recorded-platform.js';
import { STREAM, startPlatformCommands, token } from './run-platform.js';

let commands: Awaited<ReturnType<typeof startPlatformCommands>>;

beforeEach(async () => {
  commands = await startPlatformCommands();
});
afterEach(() => commands.close());

describe('sluice platform restream', () => {
  const destination = 'rtmp://live.example.com/app/very-secret-key';

  it.each([
    [[], { uri: destination }],
    [['--field', 'data'], { data: destination }],
    [['--field', 'both'], { uri: destination, data: destination }],
  ])('sends the destination in the field asked for, and does not print it: %j', async (words, body) => {
    commands.platform.answers(STREAM);
    const run = await commands.sluice('restream', destination, '--token', token({ type: 'stream' }), ...words);
    expect(run).toMatchObject({ code: 0, out: expect.stringContaining('stream-1'), err: '' });
    expect(commands.sent()).toMatchObject({
      target: '/svc/my-application/stream/egress/uri/rtmp',
      body: JSON.stringify(body),
    });
  });

  it.each([
    [['rtmps://live.example.com/app/very-secret-key'], 'destination: expected rtmp://<host>/<app>/<stream_key>'],
    [[destination, '--field', 'url'], 'Allowed choices are uri, data, both'],
  ])('is a usage error: %j', async (words, message) => {
    const run = await commands.sluice('restream', '--token', token(), ...words);
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(run.err).not.toContain('very-secret-key');
  });

  it('hides the stream key, should the answer repeat it', async () => {
    commands.platform.respond(({ body }) => json(500, { status: 'refused', said: JSON.parse(body).uri }));
    const run = await commands.sluice('restream', destination, '--token', token(), '--json', '--verbose');
    expect(run.code).toBe(1);
    expect(run.out).toContain('"said": "[hidden]"');
    expect(run.out + run.err).not.toContain('very-secret-key');
  });
});

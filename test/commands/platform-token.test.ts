import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEdgeToken, verifyEdgeToken } from '../../src/protocol/edge-token.js';
import { APPLICATION, NOW, startPlatformCommands } from './run-platform.js';

let commands: Awaited<ReturnType<typeof startPlatformCommands>>;

beforeEach(async () => {
  commands = await startPlatformCommands();
});
afterEach(() => commands.close());

describe('sluice platform token', () => {
  it('makes a token with every claim, and prints it alone', async () => {
    const claims = ['--type', 'publish', '--capability', 'publish-uri', 'streaming', '--capability', 'multi-bitrate'];
    const limits = ['--session-id', 's', '--remote-address', '203.0.113.7', '--origin-stream-id', 'o'];
    const tags = ['--required-tag', 'r', '--apply-tag', 'a', 'b'];
    const run = await commands.sluice('token', '--expires', '2h', ...claims, ...limits, ...tags);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(verifyEdgeToken(run.out, { ...APPLICATION, now: NOW })).toEqual({
      valid: true,
      claims: {
        expires: NOW + 7_200_000,
        type: 'publish',
        capabilities: ['publish-uri', 'streaming', 'multi-bitrate'],
        sessionId: 's',
        remoteAddress: '203.0.113.7',
        originStreamId: 'o',
        requiredTag: 'r',
        applyTags: ['a', 'b'],
      },
    });
  });

  it('needs neither platform nor claims; an hour is the default', async () => {
    delete commands.env.PLATFORM_URL;
    const printed = JSON.parse((await commands.sluice('token', '--json')).out);
    expect(printed).toEqual({
      token: createEdgeToken({ ...APPLICATION, expires: NOW + 3_600_000 }),
      applicationId: 'my-application',
      claims: { expires: NOW + 3_600_000 },
      expiresAt: '2026-11-20T13:00:00.000Z',
    });
  });

  it.each(['0h', '-1h', '60', 'soon', '', '1 fortnight', `1${'0'.repeat(400)}h`])(
    'takes no duration such as %j',
    async (duration) => {
      const run = await commands.sluice('token', `--expires=${duration}`);
      expect(run).toMatchObject({ code: 2, out: '' });
      expect(run.err).toContain('Expected a duration above 0 with its unit');
    },
  );

  it('takes none so long that it ends in no date', async () => {
    expect(await commands.sluice('token', '--expires', `1${'0'.repeat(80)}y`)).toMatchObject({ code: 2, out: '' });
  });
});

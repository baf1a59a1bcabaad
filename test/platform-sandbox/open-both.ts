import { Agent } from 'undici';
import { createPlatformClient, type PlatformClientOptions } from '../../src/platform/create-platform-client.js';
import type { PlatformError, PlatformResult } from '../../src/platform/platform-error.js';
import type { Callback } from '../../src/protocol/callback-endpoint.js';
import { createEdgeToken, type EdgeTokenOptions } from '../../src/protocol/edge-token.js';
import { createManualClock } from '../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';

/** When the sandbox's clock starts: its stamps, and with them the expiry of tokens, follow the clock from here. */
export const STARTS_AT = Date.parse('2026-11-20T10:00:00.000Z');

export type OperationName = 'register' | 'publish' | 'replay' | 'restream';
export const EVERY: readonly OperationName[] = ['register', 'publish', 'replay', 'restream'];

/** A token's claims that will do for an operation. */
export const CLAIMS = {
  publish: { type: 'publish', capabilities: ['publish-uri', 'streaming'] },
  replay: { capabilities: ['replay'] },
  restream: { type: 'stream', capabilities: ['egress'] },
} satisfies Record<string, Partial<EdgeTokenOptions>>;

export function errorOf(result: PlatformResult<object>): PlatformError {
  if (result.ok) throw new Error('expected a failure');
  return result.error;
}

/** A sandbox whose time stands still, and a client of it that waits for nothing and writes down what it would have waited. */
export async function openBoth(options: SandboxOptions = {}, clientOptions: Partial<PlatformClientOptions> = {}) {
  const clock = createManualClock(() => STARTS_AT + clock.now());
  const sandbox = await createSandbox({ clock, ...options });
  const { applicationId, secret, baseUrl } = sandbox;
  const dispatcher = new Agent();
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const client = createPlatformClient({
    ...{ baseUrl, applicationId, secret, dispatcher, sleep },
    random: () => 0,
    ...clientOptions,
  });
  /** Made as anybody makes one who has the secret; a minute long. */
  const token = (claims: Partial<EdgeTokenOptions>) =>
    createEdgeToken({ applicationId, secret, expires: clock.stamp() + 60_000, ...claims });
  const callback: Callback = { host: 'callbacks.example.com' };
  return {
    sandbox,
    client,
    clock,
    token,
    waits,
    /** Each operation with input and token that are fine; replay and restreaming need a stream. */
    operations: {
      register: () => client.registerCallback(callback),
      publish: (claims: Partial<EdgeTokenOptions> = {}) =>
        client.publishUri({ type: 'srt', uri: 'srt://a.example:9', token: token({ ...CLAIMS.publish, ...claims }) }),
      replay: (claims: Partial<EdgeTokenOptions> = {}) =>
        client.fetchReplayManifest({
          startTime: new Date(STARTS_AT),
          endTime: new Date(STARTS_AT + 3_600_000),
          token: token({ ...CLAIMS.replay, ...claims }),
        }),
      restream: (claims: Partial<EdgeTokenOptions> = {}) =>
        client.restream({
          destination: 'rtmp://live.example.com/app/key',
          token: token({ ...CLAIMS.restream, ...claims }),
        }),
    },
    async close() {
      await dispatcher.destroy();
      await sandbox.close();
    },
  };
}

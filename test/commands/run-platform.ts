import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlatformCommandSeams } from '../../src/commands/platform/settings.js';
import { platformCommand } from '../../src/commands/platform.js';
import { runProgram, type Terminal } from '../../src/commands/program.js';
import { createEdgeToken, type EdgeTokenOptions } from '../../src/protocol/edge-token.js';
import { json, startRecordedPlatform } from '../platform/recorded-platform.js';

/** What the commands take for the time. */
export const NOW = Date.parse('2026-11-20T12:00:00.000Z');
export const APPLICATION = { applicationId: 'my-application', secret: 'my-secret' };
export const STREAM = json(200, {
  status: 'ok',
  streamId: 'stream-1',
  sharedSecret: 'DIGEST:c2VjcmV0',
  options: [],
  extra: 1,
});

export type Env = Record<string, string | undefined>;

export interface PlatformRun {
  code: 0 | 1 | 2;
  out: string;
  err: string;
}

/** Runs `sluice <words…>` in this process, waiting for nothing between attempts. */
export async function runPlatform(words: string[], env: Env, seams: PlatformCommandSeams = {}): Promise<PlatformRun> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = { out: (text) => out.push(text), err: (text) => err.push(text), isTty: false, env };
  const command = platformCommand(terminal, { sleep: async () => {}, random: () => 0, ...seams });
  const code = await runProgram([command], words, terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** A token of {@link APPLICATION} that will do for every operation, a minute long. */
export function token(claims: Partial<EdgeTokenOptions> = {}): string {
  const capabilities = ['publish-uri', 'egress', 'replay'];
  return createEdgeToken({ ...APPLICATION, expires: NOW + 60_000, capabilities, ...claims });
}

/** A recorded platform, the environment of an application on it, and a folder for its files; close it after use. */
export async function startPlatformCommands() {
  const platform = await startRecordedPlatform();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-platform-'));
  const env: Env = { PLATFORM_URL: platform.url, APPLICATION_ID: 'my-application', APPLICATION_SECRET: 'my-secret' };
  return {
    platform,
    env,
    /** Runs `sluice platform <words…>`. */
    sluice: (...words: string[]) => runPlatform(['platform', ...words], env, { now: () => NOW }),
    file: async (contents: string) => {
      const path = join(folder, 'secret');
      await writeFile(path, contents);
      return path;
    },
    /** A request that came in; the first unless told. */
    sent: (index = 0) => {
      const request = platform.requests[index];
      return {
        ...request,
        callback: JSON.parse(request?.body || '{}').callback,
        bearer: request?.headers.authorization,
      };
    },
    close: async () => {
      await platform.close();
      await rm(folder, { recursive: true });
    },
  };
}

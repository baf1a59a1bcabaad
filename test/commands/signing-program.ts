import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram, type Terminal } from '../../src/commands/program.js';
import { sendCommand } from '../../src/commands/send.js';
import { signCommand } from '../../src/commands/sign.js';
import { verifyCommand } from '../../src/commands/verify.js';

/** Long enough to be found wherever it does not belong. */
export const SECRET = 'application-secret';

export interface Run {
  code: 0 | 1 | 2;
  out: string;
  err: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  stdin?: Buffer | string;
}

/** Runs `sluice <words…>` in this process, with the secret in its environment, unless that is undefined there. */
export async function sluice(words: string[], { env = {}, stdin = '' }: RunOptions = {}): Promise<Run> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    isTty: false,
    env: Object.fromEntries(
      Object.entries({ APPLICATION_SECRET: SECRET, ...env }).filter(([, value]) => value !== undefined),
    ),
  };
  const input = (async function* () {
    yield Buffer.from(stdin as string);
  })();
  const commands = [
    signCommand(terminal, { stdin: input }),
    verifyCommand(terminal, { stdin: input }),
    sendCommand(terminal),
  ];
  const code = await runProgram(commands, words, terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** A folder for files; remove it after use. */
export async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-commands-'));
  return {
    path: folder,
    write: async (name: string, content: string | Buffer, mode = 0o600) => {
      const path = join(folder, name);
      await writeFile(path, content, { mode });
      return path;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

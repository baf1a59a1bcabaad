import type { Command } from 'commander';
import { runProgram, type Terminal } from '../../src/commands/program.js';

/** How a command ended, and what it printed. */
export interface CommandRun {
  code: 0 | 1 | 2;
  out: string;
  err: string;
}

/** Runs `sluice <words…>` in this process, as a script would: no person reads along. */
export async function runCommand(
  create: (terminal: Terminal) => Command,
  words: readonly string[],
  env: Record<string, string | undefined>,
): Promise<CommandRun> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = { out: (text) => out.push(text), err: (text) => err.push(text), isTty: false, env };
  const code = await runProgram([create(terminal)], [...words], terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

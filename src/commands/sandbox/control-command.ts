import { Command } from 'commander';
import type { Terminal } from '../program.js';

/** The flags of every command that talks to a sandbox that runs. */
export interface ControlFlags {
  sandbox: string;
  json?: boolean;
}

export function controlCommand({ env }: Terminal, name: string, description: string): Command {
  const where = env.SANDBOX_URL || 'http://127.0.0.1:4000';
  return new Command(name)
    .description(description)
    .option('--sandbox <url>', 'where it is (env SANDBOX_URL)', where)
    .option('--json', 'print JSON');
}

/** Prints data as JSON where that is asked for, and otherwise as text. */
export function printData(terminal: Terminal, flags: ControlFlags, data: object, text: () => string): void {
  terminal.out(flags.json ? JSON.stringify(data, null, 2) : text());
}

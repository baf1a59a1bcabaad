import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { CommandError } from './command-error.js';

/** Where a command prints: standard output and error of the process, or a test's own. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person reads along: colours and tables. */
  isTty: boolean;
  env: Record<string, string | undefined>;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  isTty: process.stdout.isTTY === true,
  env: process.env,
};

/**
 * Runs the command line and gives the exit code: 0, 1 (failed) or 2 (usage). Errors become one line on standard error;
 * their stack is shown with `LOG_LEVEL=debug` alone.
 */
export async function runProgram(commands: readonly Command[], argv: string[], terminal: Terminal): Promise<0 | 1 | 2> {
  const program = new Command('sluice')
    .description("Receives a live-streaming platform's signed notifications and hands them to your handlers, in order.")
    .version(packageVersion())
    .enablePositionalOptions();
  for (const command of commands) program.addCommand(command);
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) =>
        write(
          `sluice: ${text
            .trim()
            .replace(/^error: /, '')
            .replaceAll(/\s*\n\s*/g, ' ')} (--help tells how)`,
        ),
    });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    return report(error, terminal);
  }
}

function packageVersion(): string {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return version;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function report(error: unknown, terminal: Terminal): 0 | 1 | 2 {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const known = error instanceof CommandError;
  const message = error instanceof Error ? error.message : String(error);
  terminal.err(`sluice: ${message}`);
  if (terminal.env.LOG_LEVEL === 'debug' && error instanceof Error) terminal.err(error.stack ?? '');
  return known ? error.exitCode : 1;
}

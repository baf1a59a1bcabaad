#!/usr/bin/env node
import { loadCommands } from './commands/load-commands.js';
import { processTerminal, runProgram } from './commands/program.js';

const argv = process.argv.slice(2);
const commands = await loadCommands(argv[0], processTerminal);
// Whoever reads along may have seen enough: `sluice failed list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const exitCode = await runProgram(commands, argv, processTerminal);
// Once all is printed: a connection that is still letting go must not keep the command waiting.
process.stdout.write('', () => process.exit(exitCode));

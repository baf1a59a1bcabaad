#!/usr/bin/env node
import { failedCommand } from './commands/failed.js';
import { handlersCommand } from './commands/handlers.js';
import { platformCommand } from './commands/platform.js';
import { processTerminal, runProgram } from './commands/program.js';
import { sandboxCommand } from './commands/sandbox.js';
import { sendCommand } from './commands/send.js';
import { signCommand } from './commands/sign.js';
import { startCommand } from './commands/start.js';
import { verifyCommand } from './commands/verify.js';

const commands = [
  startCommand(processTerminal),
  sendCommand(processTerminal),
  signCommand(processTerminal),
  verifyCommand(processTerminal),
  failedCommand(processTerminal),
  handlersCommand(processTerminal),
  platformCommand(processTerminal),
  sandboxCommand(processTerminal),
];
// Whoever reads along may have seen enough: `sluice failed list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const exitCode = await runProgram(commands, process.argv.slice(2), processTerminal);
// Once all is printed: a connection that is still letting go must not keep the command waiting.
process.stdout.write('', () => process.exit(exitCode));

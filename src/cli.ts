#!/usr/bin/env node
import { failedCommand } from './commands/failed.js';
import { handlersCommand } from './commands/handlers.js';
import { platformCommand } from './commands/platform.js';
import { processTerminal, runProgram } from './commands/program.js';
import { sandboxCommand } from './commands/sandbox.js';
import { startCommand } from './commands/start.js';

const commands = [
  startCommand(processTerminal),
  failedCommand(processTerminal),
  handlersCommand(processTerminal),
  platformCommand(processTerminal),
  sandboxCommand(processTerminal),
];
process.exitCode = await runProgram(commands, process.argv.slice(2), processTerminal);

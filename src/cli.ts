#!/usr/bin/env node
import { failedCommand } from './commands/failed.js';
import { handlersCommand } from './commands/handlers.js';
import { processTerminal, runProgram } from './commands/program.js';
import { startCommand } from './commands/start.js';

const commands = [startCommand, failedCommand, handlersCommand].map((create) => create(processTerminal));
process.exitCode = await runProgram(commands, process.argv.slice(2), processTerminal);

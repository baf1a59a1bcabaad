#!/usr/bin/env node
import { processTerminal, runProgram } from './commands/program.js';

process.exitCode = await runProgram([], process.argv.slice(2), processTerminal);

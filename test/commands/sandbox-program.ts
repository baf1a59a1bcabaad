import { processTerminal, runProgram } from '../../src/commands/program.js';
import { sandboxCommand } from '../../src/commands/sandbox.js';

process.exitCode = await runProgram([sandboxCommand(processTerminal)], process.argv.slice(2), processTerminal);

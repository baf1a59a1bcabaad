import { Command } from 'commander';
import type { Terminal } from './program.js';
import { answerCommand } from './sandbox/answer-command.js';
import { deliveriesCommand, recorderCommand, reportCommand } from './sandbox/delivery-commands.js';
import { addServeFlags, type ServeFlags } from './sandbox/serve-flags.js';
import { serveSandbox } from './sandbox/serve-sandbox.js';
import { endCommand, publishCommand, streamsCommand } from './sandbox/stream-commands.js';
import { untilInterrupted } from './sandbox/until-interrupted.js';

/**
 * `sluice sandbox`: runs the platform locally; its subcommands talk to one that runs.
 *
 * @param interruption gives what ends the server: default SIGINT and SIGTERM
 */
export function sandboxCommand(terminal: Terminal, interruption: () => AbortSignal = untilInterrupted): Command {
  const sandbox = new Command('sandbox')
    .description('Run the platform locally: its operations, and signed notifications with faults')
    .addHelpText(
      'after',
      `
Examples:
  sluice sandbox --callback http://127.0.0.1:3000/callback
  sluice sandbox --callback http://127.0.0.1:3000/callback --speed 100 --publish 1000 --faults all --seed 7`,
    )
    .action((flags: ServeFlags) => serveSandbox(terminal, flags, interruption()));
  addServeFlags(sandbox);
  return sandbox
    .addCommand(streamsCommand(terminal))
    .addCommand(publishCommand(terminal))
    .addCommand(endCommand(terminal))
    .addCommand(deliveriesCommand(terminal))
    .addCommand(answerCommand(terminal))
    .addCommand(reportCommand(terminal))
    .addCommand(recorderCommand(terminal));
}

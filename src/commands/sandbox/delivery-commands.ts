import { type Command, Option } from 'commander';
import type { Delivery } from '../../sandbox/delivery/delivery.js';
import { formatReport } from '../../sandbox/report/format-report.js';
import { recorderHandlerSource } from '../../sandbox/report/recorder-handler.js';
import type { Report } from '../../sandbox/report/report.js';
import type { Terminal } from '../program.js';
import { callSandbox } from './call-sandbox.js';
import { type ControlFlags, controlCommand, printData } from './control-command.js';
import { describeAnswer } from './describe-delivery.js';
import { formatColumns } from './format-columns.js';
import { parseCount } from './parse-flags.js';

export function deliveriesCommand(terminal: Terminal): Command {
  return controlCommand(terminal, 'deliveries', 'Show the newest notifications and what became of them')
    .addOption(new Option('--state <state>').choices(['pending', 'acknowledged', 'refused', 'dropped', 'unsent']))
    .option('--stream <streamId>')
    .option('--what <kind>', 'started, live, ended, on-demand …')
    .addOption(new Option('--limit <n>').argParser(parseCount(1)).default(100))
    .addHelpText('after', '\nExample: sluice sandbox deliveries --state pending')
    .action(async (flags: ControlFlags & { state?: string; stream?: string; what?: string; limit: number }) => {
      const { state, stream, what, limit } = flags;
      const query = new URLSearchParams({ limit: String(limit) });
      for (const [name, value] of Object.entries({ state, stream, what })) if (value) query.set(name, value);
      const all = (await callSandbox(flags.sandbox, 'GET', `/sandbox/deliveries?${query}`)) as Delivery[];
      printData(terminal, flags, all, () =>
        formatColumns(
          ['STREAM', 'NOTIFICATION', 'STATE', 'ANSWERS', 'FAULTS'],
          all.map(({ streamId, name, state, attempts }) => [
            streamId,
            name,
            state,
            attempts.map((attempt) => describeAnswer(attempt.answer)).join(' '),
            [...new Set(attempts.flatMap((attempt) => attempt.faults))].join(' '),
          ]),
        ),
      );
    });
}

export function reportCommand(terminal: Terminal): Command {
  return controlCommand(terminal, 'report', 'What happened so far')
    .addHelpText('after', '\nExample: sluice sandbox report --json')
    .action(async (flags: ControlFlags) => {
      const soFar = (await callSandbox(flags.sandbox, 'GET', '/sandbox/report')) as Report;
      printData(terminal, flags, soFar, () => formatReport(soFar));
    });
}

export function recorderCommand(terminal: Terminal): Command {
  return controlCommand(terminal, 'recorder', 'Print a handler that tells the sandbox what it handled')
    .option('--name <name>', 'of the handler', 'recorder')
    .addHelpText('after', '\nExample: sluice sandbox recorder > handlers/recorder.mjs')
    .action((flags: ControlFlags & { name: string }) => {
      const source = recorderHandlerSource(flags.sandbox, flags.name).trimEnd();
      printData(terminal, flags, { source }, () => source);
    });
}

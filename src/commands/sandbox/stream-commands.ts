import { type Command, Option } from 'commander';
import type { StreamView } from '../../sandbox/streams/stream.js';
import { parseDuration } from '../parse-duration.js';
import type { Terminal } from '../program.js';
import { callSandbox } from './call-sandbox.js';
import { type ControlFlags, controlCommand, printData } from './control-command.js';
import { formatColumns } from './format-columns.js';
import { parseList } from './parse-flags.js';

export function streamsCommand(terminal: Terminal): Command {
  return controlCommand(terminal, 'streams', 'List the streams')
    .addHelpText('after', '\nExample: sluice sandbox streams')
    .action(async (flags: ControlFlags) => {
      const all = (await callSandbox(flags.sandbox, 'GET', '/sandbox/streams')) as StreamView[];
      printData(terminal, flags, all, () =>
        formatColumns(
          ['STREAM', 'STATE', 'STARTED', 'SECONDS', 'TAGS'],
          all.map(({ streamId, state, startedAt, durationMs, tags }) => [
            streamId,
            state,
            startedAt,
            (durationMs / 1000).toFixed(1),
            tags.join(','),
          ]),
        ),
      );
    });
}

export function publishCommand(terminal: Terminal): Command {
  return controlCommand(terminal, 'publish', 'Publish a stream, without a token')
    .addOption(new Option('--tags <tags>', 'separated by commas').argParser(parseList))
    .addOption(new Option('--capabilities <names>', 'default streaming,on-demand').argParser(parseList))
    .addOption(new Option('--ends-after <time>', 'by itself; platform time').argParser(parseDuration({ zero: true })))
    .addHelpText('after', '\nExample: sluice sandbox publish --tags news,live --ends-after 30s')
    .action(async (flags: ControlFlags & { tags?: string[]; capabilities?: string[]; endsAfter?: number }) => {
      const { tags, capabilities, endsAfter: durationMs } = flags;
      const body = { tags, capabilities, durationMs };
      const stream = (await callSandbox(flags.sandbox, 'POST', '/sandbox/streams', body)) as StreamView;
      printData(terminal, flags, stream, () => stream.streamId);
    });
}

export function endCommand(terminal: Terminal): Command {
  return controlCommand(terminal, 'end', 'End a stream')
    .argument('<streamId>')
    .option('--reason <text>', 'told in the notification', '')
    .addHelpText('after', "\nExample: sluice sandbox end 'sandbox#1.9f3c2a7e' --reason enough")
    .action(async (streamId: string, flags: ControlFlags & { reason: string }) => {
      const path = `/sandbox/streams/${encodeURIComponent(streamId)}/end`;
      const stream = (await callSandbox(flags.sandbox, 'POST', path, { reason: flags.reason })) as StreamView;
      printData(terminal, flags, stream, () => `${stream.streamId} ended after ${stream.durationMs} ms`);
    });
}

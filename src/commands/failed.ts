import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError } from 'commander';
import type { FailedDelivery, FailedDetail, FailedFilter } from '../pipeline/failed-delivery.js';
import { CommandError } from './command-error.js';
import { addFilter, type FilterFlags, toFilter } from './failed-filter.js';
import { type OpenPipeline, withPipeline } from './open-pipeline.js';
import type { Terminal } from './program.js';
import { formatTable } from './table.js';

type Flags = FilterFlags & { json?: boolean; yes?: boolean };

/** `sluice failed`: deliveries whose attempts are used up, and what no handler could be given. */
export function failedCommand(terminal: Terminal): Command {
  const command = new Command('failed').description('Failed deliveries: list, look at, replay or discard them.');
  command.addCommand(listCommand(terminal));
  command.addCommand(showCommand(terminal));
  command.addCommand(replayCommand(terminal));
  command.addCommand(discardCommand(terminal));
  return command;
}

function listCommand(terminal: Terminal): Command {
  return addFilter(new Command('list'))
    .description('Lists failed deliveries, the newest first.')
    .option('--limit <n>', 'at most so many', parseLimit, 100)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  sluice failed list --handler catalogue --since 2h')
    .action((ids: string[], flags: Flags & { limit: number }) =>
      withPipeline(terminal, async ({ failed }) => {
        const all = await failed.list(toFilter(ids, flags));
        const shown = all.slice(0, flags.limit);
        if (flags.json) return terminal.out(JSON.stringify(shown, null, 2));
        if (all.length === 0) return terminal.out('No failed delivery matches.');
        terminal.out(formatList(shown));
        if (shown.length < all.length) terminal.out(`… and ${all.length - shown.length} more (--limit)`);
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .argument('<id>', "the notification's id")
    .description('Shows all that is known of a failed notification: for each handler its attempts; the body.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  sluice failed show 0198c1f0-5c1e-7abc-8def-0123456789ab')
    .action((id: string, { json }: { json?: boolean }) =>
      withPipeline(terminal, async ({ failed }) => {
        const details = await failed.show(id);
        if (details.length === 0) throw new CommandError(`no delivery of ${id} has failed`);
        terminal.out(json ? JSON.stringify(details, null, 2) : details.map(formatDetail).join('\n\n'));
      }),
    );
}

function replayCommand(terminal: Terminal): Command {
  return addFilter(new Command('replay'))
    .description(
      'Puts failed deliveries into their lanes again, each stream in order. May be repeated: nothing runs twice.',
    )
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  sluice failed replay --handler catalogue')
    .action((ids: string[], flags: Flags) =>
      withPipeline(terminal, async (pipeline) => {
        const filter = toFilter(ids, flags);
        if (!(await agreed(terminal, pipeline, 'replay', filter, flags))) return;
        const result = await pipeline.failed.replay(filter);
        if (flags.json) terminal.out(JSON.stringify(result));
        else
          terminal.out(
            `${result.replayed} replayed${result.already > 0 ? `, ${result.already} under way already` : ''}`,
          );
        if (result.lost > 0)
          throw new CommandError(`${result.lost} could not be: their notifications are no longer in Redis`);
      }),
    );
}

function discardCommand(terminal: Terminal): Command {
  return addFilter(new Command('discard'))
    .description('Gives failed deliveries up for good; a parked stream goes on.')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  sluice failed discard --handler catalogue --until 7d --yes')
    .action((ids: string[], flags: Flags) =>
      withPipeline(terminal, async (pipeline) => {
        const filter = toFilter(ids, flags);
        if (!(await agreed(terminal, pipeline, 'discard', filter, flags))) return;
        const discarded = await pipeline.failed.discard(filter);
        terminal.out(flags.json ? JSON.stringify({ discarded }) : `${discarded} discarded`);
      }),
    );
}

/** Says how many there are first; on a terminal a person has to agree, in a script the command itself is the word. */
async function agreed(
  terminal: Terminal,
  { failed }: OpenPipeline,
  verb: string,
  filter: FailedFilter,
  { yes, json }: Flags,
): Promise<boolean> {
  const count = await failed.count(filter);
  if (!json) terminal.out(`${count} failed ${count === 1 ? 'delivery matches' : 'deliveries match'}`);
  if (count === 0) return json === true;
  if (yes || json || !terminal.isTty) return true;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(`${verb} ${count === 1 ? 'it' : `all ${count}`}? [y/N] `);
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}

function parseLimit(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('expected a whole number, 1 or more');
}

function formatList(deliveries: readonly FailedDelivery[]): string {
  return formatTable(
    ['failed at', 'handler', 'kind', 'stream', 'attempts', 'state', 'reason', 'id'],
    deliveries.map((one) => [
      one.failedAt,
      one.handler ?? '-',
      one.kind ?? '-',
      one.stream ?? '-',
      String(one.attempts),
      one.state,
      oneLine(one.reason),
      one.id,
    ]),
  );
}

function formatDetail(detail: FailedDetail): string {
  const { history, body, ...fields } = detail;
  const lines = Object.entries(fields).map(
    ([name, value]) => `${name.padEnd(11)} ${oneLine(String(value ?? '-'), 500)}`,
  );
  const attempts = history.map(
    (one) =>
      `  ${one.startedAt}  ${one.replayed ? 'replay ' : ''}${one.attempt}  ${one.outcome}  ${one.durationMs} ms  ${one.error ?? ''}`,
  );
  return [...lines, ...(attempts.length > 0 ? ['attempts', ...attempts] : []), 'body', `  ${body}`].join('\n');
}

function oneLine(text: string, longest = 60): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

import { Command } from 'commander';
import { type HandlerInfo, listHandlers, removeHandler } from '../pipeline/handler-admin.js';
import { CommandError } from './command-error.js';
import { withPipeline } from './open-pipeline.js';
import type { Terminal } from './program.js';
import { formatTable } from './table.js';

/** `sluice handlers`: what is registered in Redis, and its removal. */
export function handlersCommand(terminal: Terminal): Command {
  const command = new Command('handlers').description(
    'Handlers as registered in Redis, with the workers alive for each.',
  );
  command
    .command('list')
    .description(
      'Shows every handler, what it subscribes to, its workers, its unfinished streams and failed deliveries.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  sluice handlers list')
    .action(({ json }: { json?: boolean }) =>
      withPipeline(terminal, async (pipeline) => {
        const handlers = await listHandlers(pipeline);
        terminal.out(json ? JSON.stringify(handlers, null, 2) : formatHandlers(handlers));
      }),
    );
  command
    .command('remove')
    .description('Unregisters a handler that no worker has any more, with its waiting and failed deliveries.')
    .argument('<name>', "the handler's name")
    .option('--force', 'even if workers are alive for it (they register it again)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  sluice handlers remove catalogue')
    .action((name: string, { force, json }: { force?: boolean; json?: boolean }) =>
      withPipeline(terminal, async (pipeline) => {
        const known = (await listHandlers(pipeline)).find((handler) => handler.name === name);
        if (known && known.workers.length > 0 && !force) {
          const where = known.workers.map(({ host, pid }) => `${host} (pid ${pid})`).join(', ');
          throw new CommandError(`'${name}' still has workers: ${where}. Stop them first, or use --force.`);
        }
        const removed = await removeHandler(pipeline, name);
        if (!removed) throw new CommandError(`there is no handler '${name}'; 'sluice handlers list' shows them`);
        const text = `removed '${name}', with ${removed.waiting} waiting and ${removed.failed} failed deliveries`;
        terminal.out(json ? JSON.stringify({ name, ...removed }) : text);
      }),
    );
  return command;
}

function formatHandlers(handlers: readonly HandlerInfo[]): string {
  if (handlers.length === 0) return 'No handler is registered: a worker registers its handlers when it starts.';
  return formatTable(
    ['handler', 'on', 'workers', 'streams', 'failed'],
    handlers.map(({ name, on, workers, lanes, failed }) => [
      name,
      on.join(','),
      workers.length === 0 ? 'none' : workers.map(({ host, pid }) => `${host}:${pid}`).join(' '),
      String(lanes),
      String(failed),
    ]),
  );
}

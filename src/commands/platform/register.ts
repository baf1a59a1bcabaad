import { Command, Option } from 'commander';
import { type Callback, formatCallback, resolveCallback } from '../../protocol/callback-endpoint.js';
import { CommandError } from '../command-error.js';
import type { Terminal } from '../program.js';
import { compareEndpoint, LISTENING_METHODS, listeningPath } from './compare-endpoint.js';
import { expectSuccess, printJson } from './report.js';
import { addPlatformOptions, type PlatformCommandSeams, type PlatformFlags, withSession } from './settings.js';

interface RegisterFlags extends PlatformFlags {
  callback?: string;
  protocol?: string;
  host?: string;
  port?: number;
  method?: string;
  path?: string;
  query?: string;
  credentialsInBody?: boolean;
}

const PARTS = ['protocol', 'host', 'port', 'path', 'query'];

/** `sluice platform register`: the platform's endpoint for notifications, compared with what this service listens on. */
export function registerCommand(terminal: Terminal, seams: PlatformCommandSeams): Command {
  return addPlatformOptions(new Command('register'))
    .description('Register the endpoint that the platform sends notifications to')
    .addOption(new Option('--callback <url>', 'the endpoint as a URL, instead of its parts').conflicts(PARTS))
    .option('--protocol <name>', 'http or https (platform default: http)')
    .option('--host <name>', 'host that the platform reaches this service at')
    .addOption(new Option('--port <n>', 'port (platform default: 80 or 443)').argParser(Number))
    .option('--method <name>', 'GET, POST or PUT (platform default: POST)')
    .option('--path <path>', 'path (default: where this service listens, PUBLIC_BASE_PATH + CALLBACK_PATH)')
    .option('--query <pairs>', 'query, without the ?')
    .option('--credentials-in-body', 'send the credentials in the body, as older platforms want it (deprecated)')
    .addHelpText('after', '\nExample: sluice platform register --host callbacks.example.com --protocol https')
    .action((flags: RegisterFlags) => register(terminal, flags, seams));
}

async function register(terminal: Terminal, flags: RegisterFlags, seams: PlatformCommandSeams): Promise<void> {
  const listening = listeningPath(terminal.env);
  const callback = readCallback(flags, listening);
  await withSession(terminal, flags, seams, { credential: 'secret' }, async ({ client, hide }) => {
    const credentials = flags.credentialsInBody ? 'body' : 'header';
    const result = await client.registerCallback(callback, { credentials });
    const success = expectSuccess(terminal, result, { json: flags.json, hide });
    const asked = resolveCallback(callback);
    const warnings = compareEndpoint(success.endpoint, asked, listening);
    if (flags.json) {
      const listeningOn = { methods: LISTENING_METHODS, path: listening };
      printJson(terminal, { ...success, asked: formatCallback(asked), listening: listeningOn, warnings });
    } else {
      terminal.out(`registered  ${success.endpoint}`);
      terminal.out(`listening   ${LISTENING_METHODS.join('|')} ${listening}`);
    }
    for (const warning of warnings) terminal.err(`warning: ${warning}`);
  });
}

function readCallback(flags: RegisterFlags, listening: string): Callback {
  const { protocol, host, port, path, query, method } = flags;
  const parts = flags.callback === undefined ? { protocol, host, port, path, query } : splitUrl(flags.callback);
  if (!parts.host) throw new CommandError('missing: the endpoint (--host or --callback)', 2);
  const given = Object.entries({ path: listening, method, ...defined(parts) });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as unknown as Callback;
}

function splitUrl(text: string): Record<'protocol' | 'host' | 'path' | 'query', string> & { port: number | undefined } {
  if (!URL.canParse(text))
    throw new CommandError('--callback: expected a URL, such as https://example.com/callback', 2);
  const { protocol, hostname, port, pathname, search } = new URL(text);
  return {
    protocol: protocol.replace(':', ''),
    host: hostname,
    port: port === '' ? undefined : Number(port),
    path: pathname,
    query: search.replace('?', ''),
  };
}

function defined(parts: object): object {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined && value !== ''));
}

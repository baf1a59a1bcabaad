import { Command, Option } from 'commander';
import type { Terminal } from '../program.js';
import { printStream } from './print-stream.js';
import {
  addPlatformOptions,
  addTokenOptions,
  type PlatformCommandSeams,
  type PlatformFlags,
  withSession,
} from './settings.js';

interface RestreamFlags extends PlatformFlags {
  field: 'uri' | 'data' | 'both';
}

/** `sluice platform restream`: relays a stream to an external RTMP endpoint. */
export function restreamCommand(terminal: Terminal, seams: PlatformCommandSeams): Command {
  return addTokenOptions(addPlatformOptions(new Command('restream')))
    .description('Relay a stream to an external RTMP endpoint')
    .argument('<destination>', 'rtmp://<host>/<app>/<stream_key>')
    .addOption(
      new Option('--field <name>', 'field of the body that holds the destination')
        .choices(['uri', 'data', 'both'])
        .default('uri'),
    )
    .addHelpText(
      'after',
      '\nExample: sluice platform restream rtmp://live.example.com/app/key --token-file egress.token',
    )
    .action(async (destination: string, flags: RestreamFlags) => {
      await withSession(
        terminal,
        flags,
        seams,
        { credential: 'token', confidential: [destination] },
        async (session) => {
          const needs = { capability: 'egress', type: 'stream' } as const;
          const run = () => session.client.restream({ destination, field: flags.field });
          await printStream(terminal, session, flags, seams, needs, run);
        },
      );
    });
}

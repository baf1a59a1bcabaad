import { Command } from 'commander';
import { PUBLISH_TYPES, type PublishType } from '../../platform/publish-uri.js';
import { CommandError } from '../command-error.js';
import type { Terminal } from '../program.js';
import { printStream } from './print-stream.js';
import {
  addPlatformOptions,
  addTokenOptions,
  type PlatformCommandSeams,
  type PlatformFlags,
  withSession,
} from './settings.js';

interface PublishFlags extends PlatformFlags {
  type?: string;
}

/** `sluice platform publish`: publishes a stream from a remote URI. */
export function publishCommand(terminal: Terminal, seams: PlatformCommandSeams): Command {
  return addTokenOptions(addPlatformOptions(new Command('publish')))
    .description('Publish a stream from a remote URI')
    .argument('<uri>', 'what to publish')
    .option('--type <type>', `${PUBLISH_TYPES.join(', ')} (default: as the URI's scheme or ending says)`)
    .addHelpText('after', '\nExample: sluice platform publish srt://203.0.113.7:9000 --token-file publish.token')
    .action((uri: string, flags: PublishFlags) => publish(terminal, uri, flags, seams));
}

async function publish(
  terminal: Terminal,
  uri: string,
  flags: PublishFlags,
  seams: PlatformCommandSeams,
): Promise<void> {
  const type = (flags.type ?? typeOf(uri)) as PublishType | undefined;
  if (!type) {
    throw new CommandError(`the URI does not tell its type: --type, one of ${PUBLISH_TYPES.join(', ')}`, 2);
  }
  await withSession(terminal, flags, seams, { credential: 'token' }, async (session) => {
    const needs = { capability: 'publish-uri', type: 'publish' } as const;
    await printStream(terminal, session, flags, seams, needs, () => session.client.publishUri({ type, uri }));
  });
}

/** The type that a URI's scheme is, or the ending of its path. */
function typeOf(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { protocol, pathname } = new URL(uri);
  const names: readonly string[] = PUBLISH_TYPES;
  return [protocol.replace(':', ''), pathname.split('.').at(-1) ?? ''].find((name) => names.includes(name));
}

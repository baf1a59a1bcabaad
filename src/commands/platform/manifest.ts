import { Command, Option } from 'commander';
import type { PlatformClient } from '../../platform/create-platform-client.js';
import type { ReplayManifest } from '../../platform/parse-replay-manifest.js';
import { CommandError } from '../command-error.js';
import { readDuration } from '../parse-duration.js';
import type { Terminal } from '../program.js';
import { printManifest } from './print-manifest.js';
import { warnOfToken } from './print-stream.js';
import { expectSuccess } from './report.js';
import {
  addPlatformOptions,
  addTokenOptions,
  type PlatformCommandSeams,
  type PlatformFlags,
  withSession,
} from './settings.js';

interface ManifestFlags extends PlatformFlags {
  start: string;
  end: string;
  type: string;
  variant?: string;
  raw?: boolean;
  apiVersion?: number;
  roundTripTime?: number;
}

/** `sluice platform manifest`: the replay manifest of a time range, and a variant's. */
export function manifestCommand(terminal: Terminal, seams: PlatformCommandSeams): Command {
  return addTokenOptions(addPlatformOptions(new Command('manifest')))
    .description('Fetch the replay manifest of a time range')
    .requiredOption('--start <time>', 'date and time with zone, or how long ago: 2h')
    .option('--end <time>', 'the same, or now', 'now')
    .option('--type <type>', 'primary, or a quality, such as xhd', 'primary')
    .option('--variant <name>', "fetch this variant's manifest too, and print that one")
    .addOption(new Option('--raw', 'print the playlist as it came; the edge token is in it').conflicts('json'))
    .addOption(new Option('--api-version <n>', 'sent to the platform (its default: 0)').argParser(Number))
    .addOption(new Option('--round-trip-time <n>', 'sent to the platform as httpRoundTripTime').argParser(Number))
    .addHelpText('after', '\nExample: sluice platform manifest --start 2h --end 1h --token-file replay.token')
    .action((flags: ManifestFlags) => fetchManifest(terminal, flags, seams));
}

async function fetchManifest(terminal: Terminal, flags: ManifestFlags, seams: PlatformCommandSeams): Promise<void> {
  const now = (seams.now ?? Date.now)();
  await withSession(terminal, flags, seams, { credential: 'token' }, async (session) => {
    warnOfToken(terminal, session, seams, { capability: 'replay' });
    const result = await session.client.fetchReplayManifest({
      type: flags.type,
      startTime: readTime(flags.start, now),
      endTime: readTime(flags.end, now),
      apiVersion: flags.apiVersion,
      httpRoundTripTime: flags.roundTripTime,
    });
    const reporting = { json: flags.json, hide: session.hide };
    const primary = expectSuccess(terminal, result, reporting);
    if (flags.variant === undefined) {
      printManifest(terminal, primary, flags);
      return;
    }
    const variant = await fetchVariant(session.client, primary, flags.variant);
    printManifest(terminal, expectSuccess(terminal, variant, reporting), flags);
  });
}

function fetchVariant(client: PlatformClient, primary: ReplayManifest, name: string) {
  const variant = primary.variants.find(({ type }) => type === name);
  if (variant) return client.fetchVariantManifest(variant);
  const names = primary.variants.map(({ type }) => type).join(', ') || 'none';
  throw new CommandError(`the manifest has no variant ${name}; it has: ${names}`);
}

/** `now`, a duration before it, or text that is left to the client to judge. */
function readTime(text: string, now: number): Date | string {
  const ago = readDuration(text);
  if (text === 'now' || ago !== undefined) return new Date(now - (ago ?? 0));
  return text;
}

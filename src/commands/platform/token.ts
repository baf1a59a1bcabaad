import { Command, Option } from 'commander';
import ms from 'ms';
import {
  createEdgeToken,
  EDGE_TOKEN_TYPES,
  type EdgeTokenOptions,
  type EdgeTokenType,
} from '../../protocol/edge-token.js';
import { CommandError } from '../command-error.js';
import { parseDuration } from '../parse-duration.js';
import type { Terminal } from '../program.js';
import { printJson } from './report.js';
import { type PlatformCommandSeams, readApplicationSecret } from './settings.js';

interface TokenFlags {
  applicationId?: string;
  expires: number;
  type?: EdgeTokenType;
  capability?: string[];
  sessionId?: string;
  remoteAddress?: string;
  originStreamId?: string;
  requiredTag?: string;
  applyTag?: string[];
  json?: boolean;
}

/** `sluice platform token`: makes an edge token, without the platform. */
export function tokenCommand(terminal: Terminal, seams: PlatformCommandSeams): Command {
  return new Command('token')
    .description(
      'Make an edge token with the secret of the application (APPLICATION_SECRET or APPLICATION_SECRET_FILE)',
    )
    .option('--application-id <id>', 'the application (env APPLICATION_ID)')
    .addOption(new Option('--expires <duration>', 'from now').argParser(parseDuration()).default(ms('1h'), '1h'))
    .addOption(new Option('--type <type>', 'what the token is limited to').choices(EDGE_TOKEN_TYPES))
    .option('--capability <names...>', 'publish-uri, streaming, egress, replay …')
    .option('--session-id <id>', 'limit the token to a session')
    .option('--remote-address <address>', 'limit the token to a client address')
    .option('--origin-stream-id <id>', 'limit the token to a stream')
    .option('--required-tag <tag>', 'limit the token to streams with this tag')
    .option('--apply-tag <tags...>', 'tags that the new stream gets')
    .option('--json', 'print the claims too, as JSON')
    .addHelpText('after', '\nExample: sluice platform token --capability publish-uri --type publish --expires 1h')
    .action((flags: TokenFlags) => makeToken(terminal, flags, seams));
}

async function makeToken(
  terminal: Terminal,
  flags: TokenFlags,
  { now = Date.now }: PlatformCommandSeams,
): Promise<void> {
  const { env } = terminal;
  const applicationId = flags.applicationId ?? env.APPLICATION_ID;
  const secret = await readApplicationSecret(env);
  const missing = [
    applicationId ? '' : 'the application (--application-id or APPLICATION_ID)',
    secret ? '' : 'its secret (APPLICATION_SECRET or APPLICATION_SECRET_FILE)',
  ].filter(Boolean);
  if (!applicationId || !secret) throw new CommandError(`missing: ${missing.join('; ')}`, 2);
  const { type, capability, sessionId, remoteAddress, originStreamId, requiredTag, applyTag } = flags;
  const expires = now() + flags.expires;
  const given = {
    type,
    capabilities: capability,
    sessionId,
    remoteAddress,
    originStreamId,
    requiredTag,
    applyTags: applyTag,
  };
  const claims = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const token = create({ ...claims, applicationId, secret, expires });
  if (!flags.json) {
    terminal.out(token);
    return;
  }
  const expiresAt = new Date(expires).toISOString();
  printJson(terminal, { token, applicationId, claims: { expires, ...claims }, expiresAt });
}

function create(options: EdgeTokenOptions): string {
  try {
    return createEdgeToken(options);
  } catch (cause) {
    throw new CommandError((cause as Error).message.replace('createEdgeToken: ', ''), 2, { cause });
  }
}

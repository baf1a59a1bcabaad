import { type Command, Option } from 'commander';
import { Agent } from 'undici';
import { createPlatformClient, type PlatformClient } from '../../platform/create-platform-client.js';
import { CommandError } from '../command-error.js';
import { parseDuration } from '../parse-duration.js';
import type { Terminal } from '../program.js';
import { readSecret, readSecretFile } from './read-secret.js';
import { describeRetry } from './report.js';
import { secretHider } from './secret-hider.js';

/** What tests replace: the waits between attempts, their jitter, and the time. */
export interface PlatformCommandSeams {
  sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  random?: () => number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** The flags that every operation has. */
export interface PlatformFlags {
  url?: string;
  applicationId?: string;
  brand?: string;
  timeout: number;
  attempts: number;
  verbose?: boolean;
  json?: boolean;
  token?: string;
  tokenFile?: string;
}

/** An operation's connection. `hide` blots out of a text what no message may show. */
export interface Session {
  client: PlatformClient;
  applicationId: string;
  token: string | undefined;
  hide(text: string): string;
}

/** What authenticates an operation, and what of its input is secret. */
export interface SessionNeeds {
  credential: 'secret' | 'token';
  confidential?: readonly string[];
}

export function addPlatformOptions(command: Command): Command {
  return command
    .option('--url <url>', 'address of the platform (env PLATFORM_URL)')
    .option('--application-id <id>', 'the application (env APPLICATION_ID)')
    .option('--brand <name>', 'first segment of the path (env HEADER_BRAND in lower case; default svc)')
    .addOption(
      new Option('--timeout <duration>', 'for one attempt')
        .argParser(parseDuration({ waited: true }))
        .default(10_000, '10s'),
    )
    .addOption(new Option('--attempts <n>', 'requests at most, where repeating may help').argParser(Number).default(5))
    .option('--verbose', 'show each failed attempt, on standard error')
    .option('--json', 'print everything as JSON');
}

export function addTokenOptions(command: Command): Command {
  return command
    .addOption(new Option('--token <token>', 'edge token (env SLUICE_TOKEN)').conflicts('tokenFile'))
    .option('--token-file <file>', 'file that holds the edge token; other users do not see it as they see a flag');
}

/**
 * Runs an operation with a client made of flags and environment, and closes its connections. What is missing is said all
 * at once.
 */
export async function withSession<Result>(
  terminal: Terminal,
  flags: PlatformFlags,
  seams: PlatformCommandSeams,
  { credential, confidential = [] }: SessionNeeds,
  run: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { env } = terminal;
  const url = flags.url ?? env.PLATFORM_URL;
  const applicationId = flags.applicationId ?? env.APPLICATION_ID;
  const secret = credential === 'secret' ? await readApplicationSecret(env) : undefined;
  const token = credential === 'token' ? await readToken(flags, env) : undefined;
  const missing = [
    url ? '' : 'the address of the platform (--url or PLATFORM_URL)',
    applicationId ? '' : 'the application (--application-id or APPLICATION_ID)',
    credential === 'secret' && !secret ? 'its secret (APPLICATION_SECRET or APPLICATION_SECRET_FILE)' : '',
    credential === 'token' && !token ? 'an edge token (--token, --token-file or SLUICE_TOKEN)' : '',
  ].filter(Boolean);
  if (!url || !applicationId || missing.length > 0) throw new CommandError(`missing: ${missing.join('; ')}`, 2);
  const hide = secretHider([secret && `${applicationId}:${secret}`, secret, token, ...confidential]);
  const dispatcher = new Agent();
  try {
    const client = createClient({
      baseUrl: url,
      applicationId,
      secret,
      token,
      brand: flags.brand ?? (env.HEADER_BRAND?.toLowerCase() || undefined),
      timeoutMs: flags.timeout,
      retry: { maxAttempts: flags.attempts },
      dispatcher,
      sleep: seams.sleep,
      random: seams.random,
      onRetry: flags.verbose ? (notice) => terminal.err(hide(describeRetry(notice))) : undefined,
    });
    if (isCleartext(url)) {
      terminal.err(`warning: ${new URL(url).origin} is not https: credentials travel unencrypted`);
    }
    return await run({ client, applicationId, token, hide });
  } finally {
    await dispatcher.destroy();
  }
}

/** The newest of the application's secrets, which are listed newest first while they rotate. */
export async function readApplicationSecret(env: Terminal['env']): Promise<string | undefined> {
  const secrets = await readSecret(env, 'APPLICATION_SECRET');
  return secrets?.split(',')[0]?.trim() || undefined;
}

async function readToken(flags: PlatformFlags, env: Terminal['env']): Promise<string | undefined> {
  if (flags.token !== undefined) return flags.token.trim();
  if (flags.tokenFile !== undefined) return readSecretFile(flags.tokenFile, '--token-file');
  return readSecret(env, 'SLUICE_TOKEN');
}

function createClient(options: Parameters<typeof createPlatformClient>[0]): PlatformClient {
  try {
    return createPlatformClient(options);
  } catch (cause) {
    throw new CommandError((cause as Error).message.replace('createPlatformClient: ', ''), 2, { cause });
  }
}

/** Whether what is sent there can be read on its way: http, to another machine. */
export function isCleartext(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

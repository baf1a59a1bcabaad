import { Command, Option } from 'commander';
import { CommandError } from './command-error.js';
import { parseDuration } from './parse-duration.js';
import type { Terminal } from './program.js';
import { carriesTags } from './send/build-notification.js';
import { formatOutcomes, formatSent, formatSummary } from './send/format-sent.js';
import { planMessages } from './send/plan-messages.js';
import { type Sent, sendAll } from './send/send-all.js';
import { isOk, type Summary, summarize } from './send/summarize.js';
import {
  collect,
  parseBasePath,
  parseBrand,
  parseCount,
  parseHttpUrl,
  parseMethod,
  parseName,
  parseObject,
  parseSignedAt,
  parseTags,
  parseTimestamp,
} from './signing/flag-values.js';
import { formatJson } from './signing/format-json.js';
import { readEnvironment, readSecrets, readSetting } from './signing/read-setting.js';

interface SendFlags {
  to: URL;
  stream?: string;
  timestamp?: number;
  data?: Record<string, unknown>;
  count: number;
  concurrency: number;
  method: string;
  session?: string;
  tags?: string[];
  signedAt?: string;
  publicBasePath?: string;
  secret?: string[];
  envFile?: string;
  brand?: string;
  timeout: number;
  json?: boolean;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const UNAUTHORIZED =
  "401: secret, brand, path or clock are not the service's; its log says which check failed, 'request rejected'";
const EXAMPLES = `
Exit code 0: every one was answered 2XX, 1: not.

Examples:
  sluice send started --to http://localhost:3000/callback
  sluice send ended --to http://localhost:3000/callback --stream s1 --data '{"duration":61234,"reason":"done"}'
  sluice send live --to 'https://example.com/callback?flag' --count 1000 --concurrency 20`;

/** `sluice send`: notifications as the platform would send them, over HTTP. */
export function sendCommand(terminal: Terminal): Command {
  return new Command('send')
    .description('Signs a notification as the platform would, and sends it.')
    .argument('<kind>', 'started, live, ended, on-demand, or any other', parseName)
    .requiredOption('--to <url>', 'where to', parseHttpUrl)
    .option('--stream <id>', 'the stream (default: a new one for each)', parseName)
    .option('--timestamp <time>', "the message's: RFC 3339, or UNIX milliseconds (default: now)", parseTimestamp)
    .option('--data <json>', 'an object, merged over the data of the kind', parseObject)
    .option('--count <n>', 'how many; those of one --stream get a sequence in their data', parseCount(1, 1_000_000), 1)
    .option('--concurrency <n>', 'how many at a time', parseCount(1, 1000), 1)
    .option('--method <method>', 'GET, POST or PUT', parseMethod, 'POST')
    .option('--session <id>', 'the session (default: a new one)', parseName)
    .option('--tags <tags>', 'of the stream, separated by commas', parseTags)
    .option('--signed-at <time>', 'of the signature: UNIX time, or RFC 3339 (default: now)', parseSignedAt)
    .option(
      '--public-base-path <path>',
      "sign this before the URL's path, as if a proxy stripped it",
      parseBasePath,
      '',
    )
    .option('--secret <secret>', 'the key; default APPLICATION_SECRET, the first of several', collect)
    .option('--env-file <file>', 'read variables from a file too; the environment wins')
    .option('--brand <brand>', 'in header names; default HEADER_BRAND, or Svc', parseBrand)
    .addOption(
      new Option('--timeout <duration>', 'how long an answer may take')
        .argParser(parseDuration({ waited: true }))
        .default(DEFAULT_TIMEOUT_MS, '10s'),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (kind: string, flags: SendFlags) => {
      if (flags.tags && !carriesTags(kind)) {
        throw new CommandError(`--tags: a notification '${kind}' carries none; --data can add what it likes`, 2);
      }
      const env = readEnvironment(flags.envFile, terminal.env);
      const [secret] = readSecrets(flags.secret, env);
      const brand = flags.brand ?? readSetting('headerBrand', env);
      const { to: url, method, count, concurrency, signedAt, timeout: timeoutMs, json } = flags;
      const message = planMessages({ ...planOf(flags), kind });
      const target = (flags.publicBasePath ?? '') + url.pathname + url.search;
      const options = { url, target, method, secret, brand, signedAt, timeoutMs, count, concurrency };
      const startedAt = performance.now();
      const sent = await sendAll(message, options, (one) => {
        if (!json) terminal.out(formatSent(one));
      });
      report(terminal, url, sent, summarize(sent, performance.now() - startedAt), json);
    });
}

function planOf({ stream: streamId, session: sessionId, tags, data = {}, count, timestamp }: SendFlags) {
  return { streamId, sessionId, tags, data, count, timestamp };
}

function report(terminal: Terminal, url: URL, sent: Sent[], summary: Summary, json: boolean | undefined): void {
  if (json) terminal.out(formatJson({ requests: sent, summary }));
  const unanswered = sent.find((one) => one.http === undefined && one.unreachable);
  if (unanswered?.http === undefined && unanswered && sent.every(({ http }) => http === undefined)) {
    throw new CommandError(describeUnreachable(url, unanswered.error));
  }
  if (!json && sent.length > 1) terminal.out(formatSummary(summary));
  if (sent.every(isOk)) return;
  const hint = summary.outcomes['401'] ? `. ${UNAUTHORIZED}` : '';
  throw new CommandError(
    `${summary.sent - summary.ok} of ${summary.sent} not answered 2XX (${formatOutcomes(summary.outcomes)})${hint}`,
  );
}

function describeUnreachable(url: URL, error: string): string {
  const hint = /CERT|SSL|_TLS_/.test(error)
    ? "its certificate is not trusted here (NODE_EXTRA_CA_CERTS names a file with its authority's)"
    : 'is the service running there?';
  // The query may hold a token.
  return `cannot reach ${url.origin}${url.pathname} (${error}): ${hint}`;
}

import { Command } from 'commander';
import { contentDigest, signNotification, stringToSign } from '../protocol/signature.js';
import type { Terminal } from './program.js';
import { formatCurl } from './sign/format-curl.js';
import {
  collect,
  parseBrand,
  parseContentType,
  parseHttpUrl,
  parseMethod,
  parseSignedAt,
  parseTarget,
} from './signing/flag-values.js';
import { formatJson } from './signing/format-json.js';
import { type BodyFlags, type Input, readBody } from './signing/read-input.js';
import { readEnvironment, readSecrets, readSetting } from './signing/read-setting.js';

interface SignFlags extends BodyFlags {
  secret?: string[];
  envFile?: string;
  method: string;
  target?: string;
  contentType: string;
  timestamp?: string;
  brand?: string;
  curl?: URL;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  sluice sign --body '{"what":"started","data":{"streamId":"s"}}'
  sluice sign --file body.json --curl http://localhost:3000/callback
  jq -c . body.json | sluice sign -`;

/** `sluice sign`: the headers that authenticate a body, as the platform would send them. */
export function signCommand(terminal: Terminal, { stdin = process.stdin }: { stdin?: Input } = {}): Command {
  return new Command('sign')
    .description('Signs a body as the platform does, and prints the headers.')
    .argument('[file]', 'a file with the body; - is standard input')
    .option('--body <text>', 'the body itself')
    .option('--file <file>', 'the same as [file]')
    .option('--secret <secret>', 'the key; default APPLICATION_SECRET, the first of several', collect)
    .option('--env-file <file>', 'read variables from a file too; the environment wins')
    .option('--method <method>', 'GET, POST or PUT', parseMethod, 'POST')
    .option('--target <target>', 'path and query to sign (default: /callback, or those of --curl)', parseTarget)
    .option('--content-type <type>', 'of the body', parseContentType, 'application/json')
    .option('--timestamp <time>', 'UNIX time, or RFC 3339 (default: now, in seconds)', parseSignedAt)
    .option('--brand <brand>', 'in header names; default HEADER_BRAND, or Svc', parseBrand)
    .option('--curl <url>', 'print a curl command that sends it there', parseHttpUrl)
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (named: string | undefined, flags: SignFlags) => {
      const env = readEnvironment(flags.envFile, terminal.env);
      const [secret] = readSecrets(flags.secret, env);
      const brand = flags.brand ?? readSetting('headerBrand', env);
      const body = await readBody(flags, named, stdin);
      const { method, contentType, curl: url } = flags;
      const target = flags.target ?? (url ? url.pathname + url.search : '/callback');
      const timestamp = flags.timestamp ?? String(Math.floor(Date.now() / 1000));
      const headers = signNotification({ secret, method, target, body, contentType, timestamp, brand });
      const file = [flags.file, named].find((name) => name !== undefined && name !== '-');
      const curl = url && formatCurl({ url, method, headers, body, file });
      if (flags.json) {
        const signed = stringToSign({ method, target, digest: contentDigest(body), contentType, timestamp });
        const about = { method, target, bodyBytes: body.length, stringToSign: signed, headers };
        terminal.out(formatJson(curl === undefined ? about : { ...about, curl }));
      } else {
        terminal.out(curl ?? formatHeaders(headers));
      }
    });
}

function formatHeaders(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

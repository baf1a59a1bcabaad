import { Command, Option } from 'commander';
import { CommandError } from './command-error.js';
import type { Terminal } from './program.js';
import { collect, collectBasePaths, parseBrand, parseCount, parseMethod } from './signing/flag-values.js';
import { formatJson } from './signing/format-json.js';
import type { Input } from './signing/read-input.js';
import { readEnvironment, readSecrets, readSetting } from './signing/read-setting.js';
import { formatReport, whys } from './verify/format-report.js';
import { type RequestFlags, readRequest } from './verify/read-request.js';
import { type Report, reportOn } from './verify/report.js';

interface VerifyFlags extends RequestFlags {
  secret?: string[];
  envFile?: string;
  brand?: string;
  tolerance: number;
  publicBasePath?: string[];
  json?: boolean;
}

const PARTS = ['method', 'target', 'header', 'body', 'file'];
const TEN_YEARS_S = 315_360_000;
const EXAMPLES = `
Where the signature does not match, the ways in which senders and proxies get it wrong are tried, and the first that
gives the signature received is named. Exit code 0: authentic, 1: not.

Examples:
  sluice verify --request captured.http
  sluice verify -H 'Authorization: HMAC-SHA256 …' -H 'X-Svc-Content-Sha256: …' -H 'X-Svc-Timestamp: …' \\
    -H 'Content-Type: application/json' --target '/callback?flag' body.json`;

/** `sluice verify`: whether a request is authentic, check by check, and why it is not. */
export function verifyCommand(terminal: Terminal, { stdin = process.stdin }: { stdin?: Input } = {}): Command {
  return new Command('verify')
    .description('Verifies a request as the service does, and explains why it is not authentic.')
    .argument('[file]', 'a file with the body; - is standard input')
    .option('--body <text>', 'the body itself')
    .option('--file <file>', 'the same as [file]')
    .option('-H, --header <line>', "a header, 'Name: value'; may be repeated", collect)
    .option('--method <method>', 'GET, POST or PUT', parseMethod, 'POST')
    .option('--target <target>', 'path and query as they reached the service', '/callback')
    .addOption(new Option('--request <file>', 'a whole HTTP request as it came; - is standard input').conflicts(PARTS))
    .addOption(
      new Option('--vector <file>', 'a request as JSON: { method, target, headers, bodyBase64, secrets? }').conflicts([
        ...PARTS,
        'request',
      ]),
    )
    .option('--secret <secret>', 'the key; may be repeated; default APPLICATION_SECRET', collect)
    .option('--env-file <file>', 'read variables from a file too; the environment wins')
    .option('--brand <brand>', 'in header names; default HEADER_BRAND, or Svc', parseBrand)
    .option('--tolerance <seconds>', 'how old the timestamp may be; 0: not checked', parseCount(0, TEN_YEARS_S), 0)
    .option(
      '--public-base-path <path>',
      'a path that a proxy may have stripped, to try; may be repeated',
      collectBasePaths,
    )
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (named: string | undefined, flags: VerifyFlags) => {
      if (named !== undefined && (flags.request ?? flags.vector) !== undefined) {
        throw new CommandError('expected one request, received a file with a body beside --request or --vector', 2);
      }
      const env = readEnvironment(flags.envFile, terminal.env);
      const given = await readRequest(flags, named, stdin);
      const secrets = flags.secret ? readSecrets(flags.secret, env) : (given.secrets ?? readSecrets(undefined, env));
      const brand = flags.brand ?? readSetting('headerBrand', env);
      // A vector says what was signed; anything else what reached the service, which puts this path back.
      const publicBasePath = flags.vector === undefined ? readSetting('publicBasePath', env) : '';
      const request = { ...given.request, target: publicBasePath + given.request.target };
      const { tolerance: toleranceS, publicBasePath: basePaths = [] } = flags;
      const callbackPath = readSetting('callbackPath', env);
      const report = reportOn(request, { secrets, brand, toleranceS, publicBasePath, basePaths, callbackPath });
      const notes = publicBasePath === '' ? [] : [`PUBLIC_BASE_PATH=${publicBasePath} was put back before the path`];
      for (const note of [...given.notes, ...notes]) terminal.err(`note: ${note}`);
      print(terminal, report, flags.json);
    });
}

function print(terminal: Terminal, report: Report, json: boolean | undefined): void {
  terminal.out(json ? formatJson(report) : formatReport(report, Date.now()));
  if (!report.authentic) throw new CommandError(`not authentic: ${whys(report)[0]}`);
  const { number, of } = report.secret ?? { number: 1, of: 1 };
  if (!json) terminal.out(`\nauthentic${of === 1 ? '' : `, signed with secret ${number} of ${of}`}`);
}

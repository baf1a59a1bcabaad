import { isUtf8 } from 'node:buffer';

/** Linux takes no longer argument than 128 KiB. */
const LONGEST_ARGUMENT_BYTES = 100_000;

export interface CurlRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: Buffer;
  /** The file that the body came from, if it did. */
  file: string | undefined;
}

/** The request as a command for a POSIX shell, which sends these very bytes. */
export function formatCurl({ url, method, headers, body, file }: CurlRequest): string {
  const data = bodyArgument(body, file);
  const lines = [
    // Brackets and braces would be patterns to curl.
    `curl ${/[[\]{}]/.test(url.href) ? '--globoff ' : ''}--request ${method} ${quote(url.href)}`,
    ...Object.entries(headers).map(([name, value]) => `  --header ${quote(header(name, value))}`),
    `  ${data.argument}`,
  ];
  return data.pipedFrom + lines.join(' \\\n');
}

/** To curl "Name:" means none at all, and "Name;" one without a value. */
function header(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}

function bodyArgument(body: Buffer, file: string | undefined): { argument: string; pipedFrom: string } {
  if (file !== undefined) return { argument: `--data-binary ${quote(`@${file}`)}`, pipedFrom: '' };
  if (isUtf8(body) && !body.includes(0) && body.length <= LONGEST_ARGUMENT_BYTES) {
    return { argument: `--data-raw ${quote(body.toString())}`, pipedFrom: '' };
  }
  const pipedFrom = `printf %s ${quote(body.toString('base64'))} | base64 -d | `;
  return { argument: '--data-binary @-', pipedFrom };
}

/** Within single quotes a shell takes everything as it is but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

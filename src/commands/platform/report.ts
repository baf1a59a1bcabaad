import ms from 'ms';
import type { PlatformError, PlatformResult, RetryNotice } from '../../platform/platform-error.js';
import { CommandError } from '../command-error.js';
import type { Terminal } from '../program.js';

/**
 * Takes the success out of a result, or ends the command: code 2 where the input could not be sent, 1 else.
 *
 * @param hide blots out secrets that the platform's answer may repeat
 */
export function expectSuccess<Result>(
  terminal: Terminal,
  result: PlatformResult<Result>,
  { json, hide }: { json: boolean | undefined; hide: (text: string) => string },
): { ok: true; attempts: number } & Result {
  if (result.ok) return result;
  const { error } = result;
  if (json) {
    // Value by value: JSON would write some secrets in another way.
    const shown = (_key: string, value: unknown) => (typeof value === 'string' ? hide(value) : value);
    terminal.out(JSON.stringify({ ok: false, error: printable(error) }, shown, 2));
  }
  throw new CommandError(hide(describeError(error)), error.status === 'invalid-request' ? 2 : 1, {
    cause: error.cause,
  });
}

export function printJson(terminal: Terminal, value: object): void {
  terminal.out(JSON.stringify(value, null, 2));
}

/** One line for each failed attempt that is followed by another. */
export function describeRetry({ attempt, waitMs, failure }: RetryNotice): string {
  return `attempt ${attempt}: ${failure.message}; again ${waitMs === 0 ? 'at once' : `in ${ms(waitMs)}`}`;
}

function describeError({ message, attempts, retry }: PlatformError): string {
  const tried = attempts > 1 ? ` (${attempts} attempts)` : '';
  const later = retry === 'never' ? '' : '; trying again later may help';
  return `${message}${tried}${later}`;
}

/** Errors have no JSON of their own. */
function printable(error: PlatformError): object {
  const { cause, ...rest } = error;
  return cause === undefined ? rest : { ...rest, cause: String(cause) };
}

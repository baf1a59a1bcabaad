import type { PlatformResult } from '../../platform/platform-error.js';
import type { IngestedStream } from '../../platform/stream-answer.js';
import type { Terminal } from '../program.js';
import { expectSuccess, printJson } from './report.js';
import type { PlatformCommandSeams, PlatformFlags, Session } from './settings.js';
import { type TokenNeeds, tokenWarnings } from './warn-of-token.js';

/** Runs an operation that sets up a stream, and prints the stream. Its secret is shown in JSON alone. */
export async function printStream(
  terminal: Terminal,
  session: Session,
  flags: PlatformFlags,
  seams: PlatformCommandSeams,
  needs: TokenNeeds,
  run: () => Promise<PlatformResult<IngestedStream>>,
): Promise<void> {
  warnOfToken(terminal, session, seams, needs);
  const success = expectSuccess(terminal, await run(), { json: flags.json, hide: session.hide });
  if (flags.json) {
    printJson(terminal, success);
    return;
  }
  terminal.out(`stream         ${success.streamId}`);
  terminal.out('shared secret  shown with --json alone');
  if (success.options.length > 0) terminal.out(`options        ${JSON.stringify(success.options)}`);
}

export function warnOfToken(
  terminal: Terminal,
  { token, applicationId }: Session,
  { now = Date.now }: PlatformCommandSeams,
  needs: TokenNeeds,
): void {
  for (const warning of tokenWarnings(token ?? '', needs, applicationId, now())) terminal.err(`warning: ${warning}`);
}

import { standardOutput } from './report/screen.js';
import { runDemo } from './run-demo.js';

/** By a shell's convention a process that a signal ends has 128 and the signal's number. */
const EXIT_CODES: Record<string, number> = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 };

const interrupt = new AbortController();
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
  // Kept for good: npm passes a Ctrl-C on that the terminal has sent already, and cleaning up must not be cut short.
  process.on(signal, () => interrupt.abort(signal));
}
process.stdout.on('error', () => interrupt.abort('SIGPIPE'));
// A bug of the demo must not leave its service behind.
process.on('uncaughtException', (error) => interrupt.abort(error));

try {
  process.exitCode = await runDemo(standardOutput, interrupt.signal);
} catch (error) {
  const signal: unknown = interrupt.signal.reason;
  const endedBy = typeof signal === 'string' ? signal : undefined;
  process.exitCode = EXIT_CODES[endedBy ?? ''] ?? 1;
  process.stderr.write(`demo: ${endedBy ? `ended by ${endedBy}; nothing of it is left behind` : describe(error)}\n`);
}

function describe(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

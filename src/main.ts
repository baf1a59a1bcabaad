import type { Logger } from 'pino';
import type { Config } from './config.js';
import { createService } from './service.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** What closing takes beside the handlers: after this much more the process ends whatever still hangs. */
const MARGIN_MS = 5000;

/**
 * The service as a process: runs until a signal, stops gracefully, and gives the exit code. A second signal ends it at
 * once; so does the deadline, when Redis is away and nothing can be closed.
 */
export async function runService(config: Config, log: Logger): Promise<0 | 1> {
  endOnUncaught(log);
  const signalled = nextSignal();
  const service = await createService(config, log);
  const reason = await Promise.race([signalled, service.broken]);
  if (reason instanceof Error) log.fatal(reason.message);
  else log.info({ signal: reason }, 'stopping');
  const exitCode = reason instanceof Error ? 1 : 0;
  void nextSignal().then((signal) => {
    log.warn({ signal }, 'stopped at once');
    process.exit(1);
  });
  setTimeout(() => {
    log.warn('stopped at the deadline');
    process.exit(exitCode);
  }, config.shutdownTimeoutMs + MARGIN_MS).unref();
  await service.close();
  log.info('stopped');
  return exitCode;
}

/** A promise that a handler left alone, say: nobody knows what it has left undone, so the process cannot go on. */
function endOnUncaught(log: Logger): void {
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'an error that nobody caught: the process ends, and what it was running runs again');
    process.exit(1);
  });
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, resolve);
  });
}

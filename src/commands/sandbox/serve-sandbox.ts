import { setTimeout as realPause } from 'node:timers/promises';
import { createSandbox } from '../../sandbox/create-sandbox.js';
import { publishLoad } from '../../sandbox/publish-load.js';
import { formatReport } from '../../sandbox/report/format-report.js';
import type { Report } from '../../sandbox/report/report.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { CommandError } from '../command-error.js';
import type { Terminal } from '../program.js';
import { announcement } from './announce.js';
import { describeAttempt } from './describe-delivery.js';
import { readSettings } from './read-settings.js';
import type { ServeFlags } from './serve-flags.js';

const LOAD_STREAM_MS = 10_000;
const LOOK_EVERY_MS = 50;
const TIME_IS_UP = 'the time is up';

/** Runs a sandbox until it is interrupted, its time is up or its load run is done; then prints the report. */
export async function serveSandbox(terminal: Terminal, flags: ServeFlags, interrupted: AbortSignal): Promise<void> {
  const say = (text: string) => (flags.report === 'json' ? terminal.err(text) : terminal.out(text));
  const sandbox = await open(terminal, flags, say);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const timeOut = () => stopping.abort(TIME_IS_UP);
  interrupted.addEventListener('abort', stop, { once: true });
  const timeUp = flags.duration === undefined ? undefined : setTimeout(timeOut, flags.duration);
  let report: Report;
  try {
    say(announcement(sandbox, flags.brand));
    if (flags.publish === undefined) await untilAborted(stopping.signal);
    else await runLoad(sandbox, { ...flags, publish: flags.publish }, stopping.signal, say);
  } finally {
    clearTimeout(timeUp);
    interrupted.removeEventListener('abort', stop);
    report = sandbox.report();
    await sandbox.close();
  }
  terminal.out(flags.report === 'json' ? JSON.stringify(report, null, 2) : formatReport(report));
  const { aborted, reason } = stopping.signal;
  if (flags.publish !== undefined && (!aborted || reason === TIME_IS_UP)) judge(report, flags.publish);
}

async function open(terminal: Terminal, flags: ServeFlags, say: (text: string) => void): Promise<Sandbox> {
  const shown = flags.deliveries ?? terminal.isTty;
  try {
    return await createSandbox({
      ...readSettings(flags),
      expectedHandlers: flags.recorder,
      onAttempt: shown ? (delivery, attempt) => say(describeAttempt(delivery, attempt)) : undefined,
    });
  } catch (cause) {
    if (cause instanceof TypeError) throw new CommandError(cause.message.replace('createSandbox: ', ''), 2, { cause });
    if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new CommandError(`port ${flags.port} is taken: --port takes another, 0 any that is free`, 1, { cause });
    }
    throw cause;
  }
}

/** Publishes, and waits for what follows from it. */
async function runLoad(
  sandbox: Sandbox,
  flags: ServeFlags & { publish: number },
  stop: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  if (sandbox.info().endpoint === null) say('The load run begins when an endpoint is registered.');
  while (sandbox.info().endpoint === null && !stop.aborted) await realPause(LOOK_EVERY_MS);
  const { publish: count, rate: ratePerS, seed } = flags;
  const durationMs = flags.streamDuration ?? LOAD_STREAM_MS;
  await publishLoad((request) => sandbox.publish(request), { count, ratePerS, durationMs, seed, signal: stop });
  const done = sandbox.settled().then(() => sandbox.handled());
  await Promise.race([done.catch(() => {}), untilAborted(stop)]);
}

/** @throws CommandError where the receiver did what it must not, or was not done in time */
function judge({ problems, notifications, streams }: Report, wanted: number): void {
  const { refused, dropped, pending } = notifications;
  const missing = refused + dropped + pending;
  const states = `${refused} refused, ${dropped} dropped, ${pending} pending`;
  const all = [
    ...(streams.published < wanted ? [`${streams.published} of ${wanted} streams were published`] : []),
    ...(missing > 0 ? [`${missing} notifications were not acknowledged (${states})`] : []),
    ...problems,
  ];
  if (all.length > 0) throw new CommandError(`the load run failed: ${all.join('; ')}`);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

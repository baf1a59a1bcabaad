import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { waitUntil } from './wait-until.js';

export const CLI = fileURLToPath(new URL('../cli.js', import.meta.url));

const START_DEADLINE_MS = 30_000;
/** Longer than the service takes to stop, whatever hangs. */
const STOP_DEADLINE_MS = 10_000;

/** A line of the service's log. */
export type LogLine = Record<string, unknown>;

/** A Sluice in a process of its own. */
export interface ServiceProcess {
  readonly port: number;
  readonly adminPort: number;
  /** What it has logged so far. */
  readonly log: readonly LogLine[];
  /** Resolves when it has ended: with what was wrong, or undefined where it had stopped in good order. */
  readonly failure: Promise<Error | undefined>;
  /** Asks it to stop, and kills it where it does not within ten seconds. */
  stop(): Promise<void>;
}

/**
 * Starts `sluice start`, in a process group of its own: Ctrl-C is for the demo, which stops it. Rejects with what it wrote
 * to standard error where it does not start. `onDeath`: it ended, and nobody had asked it to.
 */
export async function startService(options: {
  env: Record<string, string | undefined>;
  cwd: string;
  signal: AbortSignal;
  onDeath: (error: Error) => void;
}): Promise<ServiceProcess> {
  const { env, cwd, signal, onDeath } = options;
  const child = spawn(process.execPath, [CLI, 'start'], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: LogLine[] = [];
  createInterface(child.stdout).on('line', (line) => void log.push(parseLine(line)));
  const complaint = text(child.stderr);
  let isAskedToStop = false;
  const stop = () => {
    isAskedToStop = true;
    return stopProcess(child);
  };
  const failure = once(child, 'exit').then(async ([code, killedBy]) => {
    const problem = ((await complaint) || lastProblem(log)).trim();
    return code === 0
      ? undefined
      : new Error(`the service ended (${killedBy ?? `exit code ${code}`})${problem && `: ${problem}`}`);
  });
  let death: Error | undefined;
  void failure.then((error = new Error('the service stopped')) => {
    death = error;
    if (!isAskedToStop) onDeath(error);
  });
  const running = () => log.find(({ msg }) => msg === 'sluice is running');
  try {
    const isUp = await waitUntil(() => death !== undefined || running() !== undefined, {
      deadlineMs: START_DEADLINE_MS,
      signal,
    });
    if (!isUp) throw new Error(`the service was not up within ${START_DEADLINE_MS / 1000} s`);
    if (death) throw death;
  } catch (error) {
    await stop();
    throw error;
  }
  const { port, adminPort } = running() as { port: number; adminPort: number };
  return { port, adminPort, log, failure, stop };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  child.kill('SIGTERM');
  await exit;
  clearTimeout(timer);
}

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { msg: line };
  }
}

/** The last line of what the service could not go on after (pino's 60: fatal). */
function lastProblem(log: readonly LogLine[]): string {
  const line = log.findLast(({ level }) => Number(level) >= 60);
  return line ? String(line.msg) : '';
}

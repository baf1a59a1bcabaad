import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

/** The command `sluice` as it was built; SLUICE_TEST_CLI names another build. */
const CLI = process.env.SLUICE_TEST_CLI ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** One line of the service's log. */
export interface LogLine {
  level: number;
  /** ISO 8601. */
  time: string;
  msg: string;
  [field: string]: unknown;
}

/** How a process ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** `sluice` as a process of its own. */
export interface ServiceProcess {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  /** The log so far. */
  readonly lines: readonly LogLine[];
  /** What it wrote so far on standard output, and on standard error. */
  out(): string;
  err(): string;
  /** Resolves with the first line of this message and these fields, once it is there. */
  line(message: string, fields?: Record<string, unknown>, deadlineMs?: number): Promise<LogLine>;
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal, and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<Ended>;
  readonly ended: Promise<Ended>;
  isRunning(): boolean;
}

/** Starts `sluice` with these arguments and, beside PATH and HOME, this environment alone. */
export function spawnService(args: readonly string[], env: Record<string, string>, cwd: string): ServiceProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: LogLine[] = [];
  let out = '';
  let err = '';
  let unfinished = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
    const parts = (unfinished + chunk).split('\n');
    unfinished = parts.pop() ?? '';
    for (const part of parts) if (part.startsWith('{"level"')) lines.push(JSON.parse(part) as LogLine);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  let running = true;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    // Not at `exit`: what it wrote last is read first.
    child.once('close', (code, signal) => {
      running = false;
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid as number,
    env,
    lines,
    out: () => out,
    err: () => err,
    async line(message, fields = {}, deadlineMs = 15_000) {
      const find = () => lines.find((line) => line.msg === message && has(line, fields));
      try {
        await until('', () => find() !== undefined || !running, { deadlineMs });
      } catch {}
      const line = find();
      if (line) return line;
      const wanted = `'${message}' ${JSON.stringify(fields)}`;
      throw new Error(`${running ? `not within ${deadlineMs} ms` : 'ended before'}: ${wanted}\n${out}${err}`);
    },
    signal: (signal) => void child.kill(signal),
    end(signal) {
      child.kill(signal);
      return ended;
    },
    ended,
    isRunning: () => running,
  };
}

function has(line: LogLine, fields: Record<string, unknown>): boolean {
  return Object.entries(fields).every(([name, value]) => line[name] === value);
}

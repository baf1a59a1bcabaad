import { spawn } from 'node:child_process';
import { until } from '../helpers/until.js';

/** A shell that is open all along, as a person has it: what one line sets, the next one sees. */
export interface ShellSession {
  /** Of its process group, to which everything belongs that it runs. */
  readonly pid: number;
  readonly ended: Promise<unknown>;
  /** All that its screen has shown. */
  screen(): string;
  /** Runs a line to its end; gives its exit code and what it showed. */
  run(line: string): Promise<{ code: number; shown: string }>;
  /** Types a line whose command goes on. */
  begin(line: string): void;
  /** Presses Ctrl-C; gives the exit code of the command that was begun. */
  interrupt(): Promise<number>;
  /** Ends it and all that it runs. */
  close(): Promise<void>;
}

/** Printed by the shell behind each command. */
const MARK = /^<<exit code (\d+)>>\n/m;

export function openShell(cwd: string, env: Record<string, string>): ShellSession {
  const shell = spawn('sh', [], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let screen = '';
  let openedAt = 0;
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk;
    });
  }
  const ended = new Promise((resolve) => shell.once('close', resolve));
  // Ctrl-C is for the command, not for the shell.
  shell.stdin.write('exec 2>&1\ntrap : INT\n');

  function type(line: string): void {
    openedAt = screen.length;
    shell.stdin.write(`${line}\nprintf '<<exit code %s>>\\n' $?\n`);
  }

  async function finish(line: string): Promise<{ code: number; shown: string }> {
    const mark = await until(`the end of ${line}`, () => MARK.exec(screen.slice(openedAt)), { deadlineMs: 60_000 });
    return { code: Number(mark[1]), shown: screen.slice(openedAt, openedAt + mark.index) };
  }

  return {
    pid: shell.pid as number,
    ended,
    screen: () => screen,
    begin: type,
    run(line) {
      type(line);
      return finish(line);
    },
    async interrupt() {
      process.kill(-(shell.pid as number), 'SIGINT');
      return (await finish('the interrupted command')).code;
    },
    async close() {
      try {
        process.kill(-(shell.pid as number), 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
      await ended;
    },
  };
}

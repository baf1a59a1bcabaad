import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CLI } from './service-process.js';

/** Runs a command of `sluice` beside the service, by the same environment; gives what it printed. */
export async function runSluice(
  args: readonly string[],
  { env, cwd, signal }: { env: Record<string, string | undefined>; cwd: string; signal: AbortSignal },
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
      env,
      cwd,
      signal,
      timeout: 20_000,
    });
    return stdout.trim();
  } catch (cause) {
    signal.throwIfAborted();
    const { stderr, message } = cause as Error & { stderr?: string };
    throw new Error(`sluice ${args.join(' ')}: ${stderr?.trim() || message}`, { cause });
  }
}

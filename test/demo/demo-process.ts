import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const BUILT = new URL('../../dist/demo/main.js', import.meta.url);
const SOURCES = new URL('../../src/demo/', import.meta.url);

/** The demo as `npm run demo` runs it, once it is built. */
export interface DemoProcess {
  child: ChildProcess;
  /** What it has written so far. */
  out(): string;
  err(): string;
  /** Resolves with the exit code. */
  exit: Promise<number | null>;
}

export async function startDemo(env: Record<string, string>): Promise<DemoProcess> {
  await checkBuilt();
  const { NODE_OPTIONS: _, REDIS_URL: __, REDIS_URL_FILE: ___, FORCE_COLOR: ____, ...own } = process.env;
  const child = spawn(process.execPath, [fileURLToPath(BUILT)], {
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, out: () => out, err: () => err, exit };
}

async function checkBuilt(): Promise<void> {
  const built = await stat(BUILT).catch(() => undefined);
  if (!built) throw new Error('these tests run dist/demo/main.js, and there is none: run `npm run build`');
  for (const name of await readdir(SOURCES, { recursive: true })) {
    const source = await stat(new URL(name, SOURCES));
    if (source.isFile() && source.mtimeMs > built.mtimeMs) {
      throw new Error(`dist/ is older than src/demo/${name}: run \`npm run build\``);
    }
  }
}

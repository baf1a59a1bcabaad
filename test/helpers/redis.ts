import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../src/redis/find-server.js';

/** Below the ports that systems give to outgoing connections: nobody takes it while the server is down. */
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;
const START_TRIES = 20;

export interface TestRedisOptions {
  /** Default `everysec`. */
  appendfsync?: 'always' | 'everysec' | 'no';
  /** Further settings, e.g. `{ requirepass: 'secret' }`; they win over those of this file. */
  settings?: Record<string, string>;
}

/** A real Redis of this test's own, on a free loopback port. */
export interface TestRedis {
  /** As the service takes it in REDIS_URL. */
  readonly url: string;
  /** As ioredis takes it. */
  readonly options: { readonly host: string; readonly port: number };
  /** Its folder; gone after `stop`. */
  readonly dir: string;
  /** Of the server that runs, or ran last. */
  readonly pid: number;
  /** Ends it at once, as a crash would. Resolves when it is gone. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and data; ends it by kill -9 before if it still runs. Resolves when it answers. */
  restart(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

/** A prefix of its own for a test's keys, in braces as `QUEUE_PREFIX` has them. */
export function uniquePrefix(): string {
  return `{test-${randomUUID().slice(0, 8)}}`;
}

/**
 * Starts a Redis with AOF and without eviction, and resolves when it takes commands. If the test process dies, a small
 * watcher ends the server and removes its folder.
 */
export async function startTestRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const program = findServer(process.env.PATH);
  if (program === undefined) throw new Error('neither redis-server nor valkey-server is on the PATH: tests need one');
  const dir = await mkdtemp(join(tmpdir(), 'sluice-test-redis-'));
  const watcher = watch(dir);
  const launch = (port: number) => launchServer(program, dir, port, options);
  let port = 0;
  let server: ChildProcess | undefined;
  for (let tries = 1; server === undefined; tries++) {
    port = randomInt(FIRST_PORT, LAST_PORT);
    server = await launch(port).catch(async (error: unknown) => {
      if (tries < START_TRIES && /already in use/i.test(String(error))) return undefined;
      await unwatch(watcher, dir);
      throw error;
    });
  }
  let current = server;
  let pid = current.pid as number;
  let stopped = false;
  const kill9 = () => end(current, dir);
  return {
    url: `redis://127.0.0.1:${port}`,
    options: { host: '127.0.0.1', port },
    dir,
    get pid() {
      return pid;
    },
    kill9,
    restart: async () => {
      if (stopped) throw new Error('this test Redis was stopped');
      await kill9();
      current = await launch(port);
      pid = current.pid as number;
    },
    freeze: () => void current.kill('SIGSTOP'),
    thaw: () => void current.kill('SIGCONT'),
    stop: async () => {
      if (stopped) return;
      stopped = true;
      await kill9();
      await unwatch(watcher, dir);
    },
  };
}

async function launchServer(program: string, dir: string, port: number, options: TestRedisOptions) {
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    save: '',
    appendonly: 'yes',
    appendfsync: options.appendfsync ?? 'everysec',
    'maxmemory-policy': 'noeviction',
    ...options.settings,
  };
  const child = spawn(
    program,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      if (output.length > 10_000) return;
      output += chunk.toString();
      if (/Ready to accept connections/.test(output)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code} before it was ready:\n${output}`)));
  });
  if (child.pid !== undefined) await writeFile(join(dir, 'pid'), String(child.pid));
  await ready;
  return child;
}

async function end(server: ChildProcess, dir: string): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
  await rm(join(dir, 'pid'), { force: true });
}

/** Reads a pipe that ends with this process, then clears up what this process could not. */
function watch(dir: string): ChildProcess {
  const script = 'trap "" INT TERM HUP; read -r _; kill -9 "$(cat "$1/pid")" 2>/dev/null; rm -rf "$1"';
  return spawn('sh', ['-c', script, 'sh', dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
}

async function unwatch(watcher: ChildProcess, dir: string): Promise<void> {
  await rm(join(dir, 'pid'), { force: true });
  const exit = once(watcher, 'exit');
  watcher.stdin?.end();
  await exit;
  await rm(dir, { recursive: true, force: true });
}

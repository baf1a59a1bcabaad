// Private servers in processes of their own, for tests: whatever is started here ends with `cleanUp`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { createWorkerConnection, redisOptions } from '../../src/redis/connect.js';
import { parseInfo } from '../../src/redis/parse-info.js';
import type { PrivateServerRecord } from '../../src/redis/private-server-place.js';
import { identifyProcess } from '../../src/redis/process-identity.js';

const program = fileURLToPath(new URL('private-server-process.ts', import.meta.url));

/** Run by `cleanUp`, the last one first. */
export const cleanups: (() => unknown)[] = [];

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export interface OtherProcess {
  child: ChildProcess;
  socketPath: string;
  owner: boolean;
  /** Its log lines so far. */
  log(): string;
  stop(): Promise<void>;
  kill9(): Promise<void>;
}

/** Starts the private Redis of a data folder in a process of its own. */
export async function startElsewhere(dir: string): Promise<OtherProcess> {
  const child = spawn(process.execPath, ['--import', 'jiti/register', program, dir], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const exit = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const output = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(output, 'line').then(([first]) => first as string),
    exit.then(() => Promise.reject(new Error(errors))),
  ]);
  return {
    child,
    ...(JSON.parse(line) as { socketPath: string; owner: boolean }),
    log: () => errors,
    stop: async () => {
      child.stdin.end('stop\n');
      await exit;
    },
    kill9: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

export function client(socketPath: string): Redis {
  const redis = createWorkerConnection(redisOptions({ socketPath }), { error: () => {}, info: () => {} } as never);
  // To disconnect what is disconnected would keep the test process for two seconds.
  cleanups.push(() => redis.status === 'end' || redis.disconnect());
  return redis;
}

export async function pidOf(redis: Redis): Promise<number> {
  return Number(parseInfo(await redis.info('server')).get('process_id'));
}

export const recordOf = (dir: string): PrivateServerRecord =>
  JSON.parse(readFileSync(join(dir, 'redis', 'server.json'), 'utf8'));

export async function killServerOnRecord(dir: string): Promise<void> {
  if (!existsSync(join(dir, 'redis', 'server.json'))) return;
  const { server } = recordOf(dir);
  if (identifyProcess(server.pid)?.started !== server.started) return;
  process.kill(server.pid, 'SIGKILL');
  await until(() => identifyProcess(server.pid) === undefined);
}

export async function until(condition: () => unknown): Promise<void> {
  for (const deadline = performance.now() + 10_000; !(await condition()); await sleep(10)) {
    if (performance.now() > deadline) throw new Error(`not within ten seconds: ${condition}`);
  }
}

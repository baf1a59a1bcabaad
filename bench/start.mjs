// Programs that a measurement needs, and what they used.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const children = [];
export const dir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const socket = join(dir, 'redis.sock');
export const redisUrl = `unix://${socket}`;

/** Starts a program; resolves once `ready` finds something in one of its lines. The output is read to its end. */
export function start(command, args, env, ready) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${command} ${args[0]} ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = ready(line);
      if (found !== undefined) resolve({ child, found });
    });
  });
}

/** A Redis that confirms nothing before it is on disk. */
export function startRedis() {
  const settings = { port: '0', unixsocket: socket, dir, appendonly: 'yes', appendfsync: 'always', save: '' };
  const flags = Object.entries({ ...settings, 'maxmemory-policy': 'noeviction' }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  return start('redis-server', flags, {}, (line) => (/ready to accept/i.test(line) ? true : undefined));
}

/** What a log line says of where a program listens. */
export function listening(line) {
  const entry = line.startsWith('{') ? JSON.parse(line) : {};
  return /^(listening|sluice is running)$/.test(entry.msg) && entry.port ? entry : undefined;
}

/** Processor time a process has used, ms (user and system; Linux). */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function stopAll() {
  for (const child of children) child.removeAllListeners('exit').kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
}

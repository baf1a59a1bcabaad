// Acknowledged notifications per second: Sluice's receiver beside a plain one, in turns, on one Redis of its own with
// `appendfsync always`. Usage: npm run build && node bench/intake.mjs [requests=20000] [connections=64] [rounds=3]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sendAll, signedRequest } from './load.mjs';

const [count = 20_000, connections = 64, rounds = 3] = process.argv.slice(2).map(Number);
const secret = 'bench-secret';
const here = fileURLToPath(new URL('.', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const socket = join(dir, 'redis.sock');
const cli = process.env.SLUICE_CLI ?? join(here, '../dist/cli.js');
const children = [];

/** Starts a program and resolves with the first of its log lines that says where it listens. */
function start(command, args, env, ready) {
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

const portOf = (line) => {
  const entry = line.startsWith('{') ? JSON.parse(line) : {};
  return entry.msg === 'listening' && entry.port ? entry.port : undefined;
};

/** Processor time a process has used, ms (user and system; Linux). */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

try {
  const redis = await start(
    'redis-server',
    [
      '--port',
      '0',
      '--unixsocket',
      socket,
      '--dir',
      dir,
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
      '--save',
      '',
      '--maxmemory-policy',
      'noeviction',
    ],
    {},
    (line) => (/ready to accept/i.test(line) ? true : undefined),
  );
  const env = {
    APPLICATION_SECRET: secret,
    PORT: '0',
    HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    ROLE: 'receiver',
    LOG_LEVEL: process.env.BENCH_LOG_LEVEL ?? 'info',
  };
  const sluice = await start(
    'node',
    [cli, 'start'],
    { ...env, REDIS_URL: `unix://${socket}`, QUEUE_PREFIX: '{bench}' },
    portOf,
  );
  const plain = await start(
    'node',
    [join(here, 'plain-receiver.mjs')],
    { ...env, REDIS_URL: socket, QUEUE_PREFIX: '{plain}' },
    portOf,
  );
  console.log(`${count} requests over ${connections} connections, ${rounds} rounds in turn`);
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { child, found: port }] of Object.entries({ sluice, plain })) {
      const requests = Array.from({ length: round === 0 ? 2000 : count }, (_, number) =>
        signedRequest(secret, number, `${name}-${round}`),
      );
      const [cpu, redisCpu, startedAt] = [cpuMs(child.pid), cpuMs(redis.child.pid), performance.now()];
      const { statuses, latencies } = await sendAll(port, requests, connections);
      const seconds = (performance.now() - startedAt) / 1000;
      const at = (part) => latencies[Math.floor(latencies.length * part)].toFixed(1);
      const perRequest = (ms) => Math.round((ms * 1000) / requests.length);
      const label = round === 0 ? 'warm-up' : `round ${round}`;
      console.log(
        `${label}  ${name.padEnd(6)}  ${Math.round(requests.length / seconds)} acks/s  ` +
          `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  CPU/request: receiver ${perRequest(cpuMs(child.pid) - cpu)} µs, ` +
          `redis ${perRequest(cpuMs(redis.child.pid) - redisCpu)} µs  ${JSON.stringify(statuses)}`,
      );
    }
  }
} finally {
  for (const child of children) child.removeAllListeners('exit').kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
}

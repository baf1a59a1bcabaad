// Deliveries per second through one process: shuffled notifications of many streams, to one handler and to three, from the
// first request to the last delivery. Usage: npm run build && node bench/deliver.mjs [notifications=20000] [streams=2000]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sendAll, signedRequest } from './load.mjs';
import { cpuMs, dir, listening, redisUrl, start, startRedis, stopAll } from './start.mjs';

const [count = 20_000, streams = 2000] = process.argv.slice(2).map(Number);
const secret = 'bench-secret';
const cli = process.env.SLUICE_CLI ?? fileURLToPath(new URL('../dist/cli.js', import.meta.url));

function handlersFolder(number) {
  const folder = join(dir, `handlers-${number}`);
  mkdirSync(folder);
  for (let at = 0; at < number; at++) {
    writeFileSync(
      join(folder, `h${at}.mjs`),
      `export default { name: 'h${at}', on: '*', concurrency: 100, handle() {} };`,
    );
  }
  return folder;
}

/** Of each stream a start, then live ones; sent in any order, timestamps tell. */
function shuffledRequests(run) {
  const now = Date.now();
  const requests = Array.from({ length: count }, (_, number) => {
    const place = Math.floor(number / streams);
    return signedRequest(secret, {
      stream: `${run}-${number % streams}`,
      what: place === 0 ? 'started' : 'live',
      at: now + place,
    });
  });
  return requests
    .map((request) => [Math.random(), request])
    .sort(([a], [b]) => a - b)
    .map(([, request]) => request);
}

async function delivered(adminPort) {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const lines = [...text.matchAll(/^sluice_attempts_total\{[^}]*outcome="success"[^}]*\} (\d+)/gm)];
  return lines.reduce((sum, [, value]) => sum + Number(value), 0);
}

try {
  const redis = await startRedis();
  for (const handlers of [1, 3]) {
    const { child, found } = await start(
      'node',
      [cli, 'start'],
      {
        APPLICATION_SECRET: secret,
        PORT: '0',
        HOST: '127.0.0.1',
        ADMIN_PORT: '0',
        REDIS_URL: redisUrl,
        QUEUE_PREFIX: `{bench-${handlers}}`,
        // Shuffled over the whole run, a start may come long after: the wait for it is not what is measured.
        REORDER_MISSING_START_MS: '1000',
        HANDLERS: handlersFolder(handlers),
      },
      (line) => (listening(line)?.adminPort ? listening(line) : undefined),
    );
    const requests = shuffledRequests(`run-${handlers}`);
    const [startedAt, cpu, redisCpu] = [performance.now(), cpuMs(child.pid), cpuMs(redis.child.pid)];
    const { statuses } = await sendAll(found.port, requests, 64);
    const sentAfter = (performance.now() - startedAt) / 1000;
    while ((await delivered(found.adminPort)) < count * handlers) await wait(50);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${handlers} handler(s): ${count} notifications of ${streams} streams acknowledged in ${sentAfter.toFixed(1)} s, ` +
        `delivered in ${seconds.toFixed(1)} s: ${Math.round((count * handlers) / seconds)} deliveries/s  ` +
        `CPU/delivery: service ${Math.round(((cpuMs(child.pid) - cpu) * 1000) / (count * handlers))} µs, ` +
        `redis ${Math.round(((cpuMs(redis.child.pid) - redisCpu) * 1000) / (count * handlers))} µs  ${JSON.stringify(statuses)}`,
    );
    child.removeAllListeners('exit').kill('SIGKILL');
  }
} finally {
  stopAll();
}

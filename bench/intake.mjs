// Acknowledged notifications per second: Sluice's receiver beside a plain one, in turns, on one Redis of its own with
// `appendfsync always`. Usage: npm run build && node bench/intake.mjs [requests=20000] [connections=64] [rounds=3]
import { fileURLToPath } from 'node:url';
import { sendAll, signedRequest } from './load.mjs';
import { cpuMs, listening, redisUrl, start, startRedis, stopAll } from './start.mjs';

const [count = 20_000, connections = 64, rounds = 3] = process.argv.slice(2).map(Number);
const secret = 'bench-secret';
const cli = process.env.SLUICE_CLI ?? fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const plainReceiver = fileURLToPath(new URL('plain-receiver.mjs', import.meta.url));

try {
  const redis = await startRedis();
  const env = { APPLICATION_SECRET: secret, PORT: '0', HOST: '127.0.0.1', ADMIN_PORT: '0', REDIS_URL: redisUrl };
  const receivers = {
    sluice: await start('node', [cli, 'start'], { ...env, ROLE: 'receiver' }, listening),
    plain: await start('node', [plainReceiver], env, listening),
  };
  console.log(`${count} requests over ${connections} connections, ${rounds} rounds in turn`);
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { child, found }] of Object.entries(receivers)) {
      const requests = Array.from({ length: round === 0 ? 2000 : count }, (_, number) =>
        signedRequest(secret, { stream: `${name}-${round}-${number}` }),
      );
      const [cpu, redisCpu, startedAt] = [cpuMs(child.pid), cpuMs(redis.child.pid), performance.now()];
      const { statuses, latencies } = await sendAll(found.port, requests, connections);
      const seconds = (performance.now() - startedAt) / 1000;
      const at = (part) => latencies[Math.floor(latencies.length * part)].toFixed(1);
      const perRequest = (ms) => Math.round((ms * 1000) / requests.length);
      console.log(
        `${round === 0 ? 'warm-up' : `round ${round}`}  ${name.padEnd(6)}  ${Math.round(requests.length / seconds)} acks/s  ` +
          `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  CPU/request: receiver ${perRequest(cpuMs(child.pid) - cpu)} µs, ` +
          `redis ${perRequest(cpuMs(redis.child.pid) - redisCpu)} µs  ${JSON.stringify(statuses)}`,
      );
    }
  }
} finally {
  stopAll();
}

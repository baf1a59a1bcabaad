import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { checkServer } from '../../src/redis/check-server.js';
import { findServer } from '../../src/redis/find-server.js';

const docker = fileURLToPath(new URL('../../docker', import.meta.url));
const password = 'p"a ss$word#\\';
let dir: string;
let socketPath: string;
let env: Record<string, string>;
let server: ChildProcess;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-compose-redis-'));
  socketPath = join(dir, 'redis.sock');
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  linkClientOfImage(bin);
  writeFileSync(join(dir, 'password'), `${password}\n`);
  env = { PATH: `${bin}${delimiter}${process.env.PATH}`, REDIS_PASSWORD_FILE: join(dir, 'password') };
  // What the image gives, but for where it listens.
  server = spawn('sh', [join(docker, 'redis.sh'), '--port', '0', '--unixsocket', socketPath], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output.push(String(chunk));
      if (output.join('').match(/ready to accept connections/i)) resolve();
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.once('exit', () => reject(new Error(output.join(''))));
  });
});

afterAll(async () => {
  if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
  rmSync(dir, { recursive: true, force: true });
});

/** The image has both programs under these names; a machine with Valkey has them under others. */
function linkClientOfImage(bin: string): void {
  const program = findServer(process.env.PATH) ?? '';
  const client = program.replace(/server$/, 'cli');
  symlinkSync(program, join(bin, 'redis-server'));
  if (existsSync(client)) symlinkSync(client, join(bin, 'redis-cli'));
}

function healthcheck(): number | null {
  return spawnSync('sh', [join(docker, 'redis-healthcheck.sh'), '-s', socketPath], { env, stdio: 'ignore' }).status;
}

describe('the Redis of the compose file', () => {
  it('can be trusted with notifications, and asks for the password', async () => {
    const redis = new Redis({ path: socketPath, password });
    expect(await checkServer(redis)).toMatchObject({ ok: true, warnings: [], notes: [] });
    expect(await redis.config('GET', 'save')).toEqual(['save', '']);
    redis.disconnect();

    const stranger = new Redis({ path: socketPath, lazyConnect: true, retryStrategy: () => null });
    stranger.on('error', () => {});
    await expect(stranger.connect().then(() => stranger.ping())).rejects.toThrow(/NOAUTH|closed/);
    if (stranger.status !== 'end') stranger.disconnect();
  });

  it('keeps its password out of its command line', () => {
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(server.pid)], { encoding: 'utf8' });
    expect(stdout).toContain('redis-server');
    expect(stdout).not.toContain('ss$word');
  });

  it('is healthy while it answers, and not once it has ended', async () => {
    expect(healthcheck()).toBe(0);
    server.kill('SIGTERM');
    await once(server, 'exit');
    expect(healthcheck()).not.toBe(0);
  });
});

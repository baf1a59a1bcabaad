import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findServer } from '../../src/redis/find-server.js';

const script = fileURLToPath(new URL('../../scripts/ensure-redis.mjs', import.meta.url));
const server = findServer(process.env.PATH) as string;
/** A folder that is the whole PATH, and what its programs were called with. */
let bin: string;
let calls: string;
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'sluice-bin-'));
  calls = join(bin, 'calls');
});
afterEach(() => rmSync(bin, { recursive: true }));

function program(name: string, body: string): void {
  const file = join(bin, name);
  writeFileSync(file, `#!/bin/sh\necho ${name} "$@" >> ${calls}\n${body}\n`);
  chmodSync(file, 0o755);
}

/** sudo is only needed, and only called, where the tests do not run as root. */
function sudo(): void {
  program('sudo', 'shift; exec "$@"');
}

const installs = `/bin/ln -s ${server} ${'$'}{0%/*}/redis-server`;

function run(env: Record<string, string> = {}, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { PATH: bin, ...env },
    encoding: 'utf8',
  });
  const called = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  return { status, stdout, stderr, called: called.filter((line) => !line.startsWith('sudo')) };
}

describe('ensure-redis', () => {
  it.each(['redis-server', 'valkey-server'])('does nothing where there is a %s', (name) => {
    symlinkSync(server, join(bin, name));
    program('apt-get', 'exit 1');
    expect(run()).toEqual({ status: 0, stdout: '', stderr: '', called: [] });
  });

  it('does nothing where REDIS_URL is set, unless a local one is asked for', () => {
    expect(run({ REDIS_URL: 'redis://elsewhere' })).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(run({ REDIS_URL: 'redis://elsewhere' }, '--local')).toMatchObject({ status: 1 });
  });

  it.each([
    ['apt-get', 'apt-get install -y --no-install-recommends redis-server'],
    ['apk', 'apk add --no-cache redis'],
    ['dnf', 'dnf install -y valkey'],
    ['brew', 'brew install redis'],
  ])('installs one with %s, and says so first', (manager, command) => {
    sudo();
    program(manager, installs);
    const { status, stdout, called } = run();
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^No redis-server or valkey-server is here: installing one with (sudo -n )?${manager}\\.\nInstalled .*/redis-server\\.\n$`,
      ),
    );
    expect(called).toEqual([command]);
  });

  it("brings apt's lists up to date where they do not know the package, and asks nothing", () => {
    sudo();
    const marker = join(bin, 'updated');
    program(
      'apt-get',
      `[ "$DEBIAN_FRONTEND" = noninteractive ] || exit 9
      if [ "$1" = update ]; then : > ${marker}; elif [ -e ${marker} ]; then ${installs}; else exit 100; fi`,
    );
    const { status, called } = run();
    expect(status).toBe(0);
    expect(called.map((line) => line.replace(/ -.* /, ' '))).toEqual([
      'apt-get install redis-server',
      'apt-get install valkey-server',
      'apt-get update',
      'apt-get install redis-server',
    ]);
  });

  it('says in one line what to do by hand where that failed, or cannot be done', () => {
    const byHand = /^.+: install Redis 6\.2 or newer, or Valkey \(Debian.+\), or set REDIS_URL to one that runs\n$/;
    const nothing = run();
    expect(nothing).toMatchObject({ status: 1, stdout: '' });
    expect(nothing.stderr).toMatch(byHand);

    sudo();
    program('apk', 'exit 1');
    const failed = run();
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^apk did not install/);
    expect(failed.stderr).toMatch(byHand);
  });

  it('says so where the one that is here, or the one it got, is too old', () => {
    program('redis-server', 'echo "Redis server v=6.0.16 sha=0:0 malloc=libc bits=64"');
    expect(run()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('redis-server is of version 6.0.16, expected 6.2 or newer: install'),
    });
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { acquireLock } from '../../src/redis/exclusive-lock.js';
import { identifyProcess } from '../../src/redis/process-identity.js';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  file = join(dir, 'lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('acquireLock', () => {
  it.each(['free', 'left by a process that died', 'left by a process whose number another has now'])(
    'lets one in at a time, be the lock %s',
    async (state) => {
      if (state !== 'free') {
        const dead = state.includes('number') ? process.pid : spawnSync('true').pid;
        writeFileSync(file, JSON.stringify({ pid: dead, started: 'long ago' }));
      }
      let inside = 0;
      let most = 0;
      let entered = 0;
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const release = await acquireLock(file);
          most = Math.max(most, ++inside);
          entered++;
          await turn();
          inside--;
          release();
        }),
      );
      expect({ most, entered }).toEqual({ most: 1, entered: 20 });
      expect(readdirSync(dir)).toEqual([]);
    },
  );

  it('names the process that holds it for too long', async () => {
    const release = await acquireLock(file);
    await expect(acquireLock(file, { timeoutMs: 60 })).rejects.toThrow(
      `process ${process.pid} has held ${file} for 60 ms`,
    );
    release();
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('identifyProcess', () => {
  it('gives the same for the same process, and nothing for one that has ended', () => {
    expect(identifyProcess(process.pid)).toEqual(identifyProcess(process.pid));
    expect(identifyProcess(process.pid)).toEqual({ pid: process.pid, started: expect.stringMatching(/./) });
    expect(identifyProcess(spawnSync('true').pid)).toBeUndefined();
  });
});

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startPrivateServer } from '../../src/redis/private-server.js';
import { identifyProcess, isAlive } from '../../src/redis/process-identity.js';
import {
  cleanUp,
  cleanups,
  client,
  killServerOnRecord,
  type OtherProcess,
  pidOf,
  recordOf,
  startElsewhere,
  until,
} from './private-server-elsewhere.js';

const ONLY_DATA = ['appendonlydir', 'redis.conf', 'redis.log'];
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-guest-'));
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // Whatever a test leaves running is on record.
  cleanups.push(() => killServerOnRecord(dataDir));
});
afterEach(cleanUp);

async function startHere() {
  const silent = { info: () => {}, warn: () => {}, error: () => {} } as never;
  const server = await startPrivateServer({ dataDir, log: silent });
  cleanups.push(() => server.stop());
  return server;
}

const files = () => readdirSync(join(dataDir, 'redis')).sort();
const ownerPid = () => (existsSync(join(dataDir, 'redis', 'server.json')) ? recordOf(dataDir).owner.pid : undefined);
const started = (...processes: OtherProcess[]) =>
  processes
    .map((other) => other.log())
    .join('')
    .match(/private Redis started/g)?.length ?? 0;

describe('a guest whose owner stops', () => {
  it('starts Redis again itself: its connections come back to the same socket and data', async () => {
    const owner = await startElsewhere(dataDir);
    const guest = await startHere();
    const redis = client(guest.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    expect(guest.owner).toBe(false);
    await owner.stop();
    const stoppedAt = performance.now();

    expect(await redis.get('acknowledged')).toBe('yes');
    expect(performance.now() - stoppedAt).toBeLessThan(5000);
    expect(await pidOf(redis)).not.toBe(pid);
    await until(() => guest.owner);
    expect(guest.socketPath).toBe(owner.socketPath);
    const second = await pidOf(redis);
    redis.disconnect();
    await guest.stop();
    expect(identifyProcess(second)).toBeUndefined();
    expect(files()).toEqual(ONLY_DATA);
  });

  it('heals it from then on, as every owner does', async () => {
    const owner = await startElsewhere(dataDir);
    const guest = await startHere();
    const redis = client(guest.socketPath);
    await owner.stop();
    const pid = await pidOf(redis);
    await until(() => guest.owner);
    process.kill(pid, 'SIGKILL');
    await until(() => identifyProcess(pid) === undefined);
    expect(await redis.set('a', '1')).toBe('OK');
  });

  it('may be one of several: exactly one takes its place, and so on until nobody is left', async () => {
    const owner = await startElsewhere(dataDir);
    const guests = await Promise.all([startElsewhere(dataDir), startElsewhere(dataDir), startElsewhere(dataDir)]);
    const redis = client(owner.socketPath);
    await redis.set('acknowledged', 'yes');
    let stopping = owner;
    for (let left = [...guests]; left.length > 0; left = left.filter((guest) => guest !== stopping)) {
      const before = started(...guests);
      await stopping.stop();
      expect(await redis.get('acknowledged')).toBe('yes');
      await until(() => left.some(({ child }) => child.pid === ownerPid()));
      expect(started(...guests)).toBe(before + 1);
      stopping = left.find(({ child }) => child.pid === ownerPid()) as OtherProcess;
    }
    const { server } = recordOf(dataDir);
    redis.disconnect();
    await stopping.stop();
    expect(isAlive(server)).toBe(false);
    expect(files()).toEqual(ONLY_DATA);
  }, 30_000);
});

describe('a guest whose owner is killed', () => {
  it('takes over the Redis that lives on, and ends it', async () => {
    const owner = await startElsewhere(dataDir);
    const guests = await Promise.all([startElsewhere(dataDir), startElsewhere(dataDir)]);
    const redis = client(owner.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    await owner.kill9();
    await until(() => guests.some(({ child }) => child.pid === ownerPid()));
    expect(await redis.get('acknowledged')).toBe('yes');
    expect(await pidOf(redis)).toBe(pid);
    redis.disconnect();
    await Promise.all(guests.map((guest) => guest.stop()));
    expect(identifyProcess(pid)).toBeUndefined();
    expect(files()).toEqual(ONLY_DATA);
  });

  it('does not leave Redis behind when it stops at that moment', async () => {
    const owner = await startElsewhere(dataDir);
    const guest = await startHere();
    const { server } = recordOf(dataDir);
    await owner.kill9();
    await guest.stop();
    expect(isAlive(server)).toBe(false);
    expect(files()).toEqual(ONLY_DATA);
  });

  it('starts Redis again when that was killed as well', async () => {
    const owner = await startElsewhere(dataDir);
    const guest = await startHere();
    const redis = client(guest.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    await owner.kill9();
    process.kill(pid, 'SIGKILL');
    await until(() => identifyProcess(pid) === undefined);
    expect(await redis.get('acknowledged')).toBe('yes');
    await until(() => guest.owner);
  });
});

describe('a guest whose owner lives', () => {
  it('leaves it to the owner to start a dead Redis again', async () => {
    const owner = await startElsewhere(dataDir);
    const guest = await startHere();
    const redis = client(guest.socketPath);
    const pid = await pidOf(redis);
    process.kill(pid, 'SIGKILL');
    await until(() => identifyProcess(pid) === undefined);
    expect(await redis.set('a', '1')).toBe('OK');
    expect(guest.owner).toBe(false);
    expect(ownerPid()).toBe(owner.child.pid);
  });

  it('starts Redis again where the owner does not, as it is frozen', async () => {
    const owner = await startElsewhere(dataDir);
    const guest = await startHere();
    const redis = client(guest.socketPath);
    await redis.set('acknowledged', 'yes');
    const pid = await pidOf(redis);
    process.kill(owner.child.pid as number, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await until(() => guest.owner);
    expect(await redis.get('acknowledged')).toBe('yes');
    const second = await pidOf(redis);

    // Awake again, it is a guest: to stop it ends nothing.
    process.kill(owner.child.pid as number, 'SIGCONT');
    await until(() => owner.log().includes('using the private Redis of another process'));
    await owner.stop();
    expect(await pidOf(redis)).toBe(second);
  }, 15_000);
});

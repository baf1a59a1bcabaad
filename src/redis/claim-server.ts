import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { endProcess } from './end-process.js';
import { acquireLock } from './exclusive-lock.js';
import { chooseServer, spawnServer, waitForAnswer } from './launch-server.js';
import { type PrivateServerPlace, prepareSocketFolder, readRecord, writeRecord } from './private-server-place.js';
import { type Probe, probeServer } from './probe-server.js';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js';

const SILENCE_TIMEOUT_MS = 15_000;
const END_TIMEOUT_MS = 10_000;

export type ServerLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** The server as this process's own, to be ended by it; `child` is missing where another process had started it. */
export interface OwnedServer {
  owner: true;
  socketPath: string;
  server: ProcessIdentity;
  child?: ChildProcess;
}

/** The server as another's, to be used as long as it is there. */
export interface BorrowedServer {
  owner: false;
  socketPath: string;
}

/**
 * Finds out, one process at a time, who runs the server of a place: borrows it from an owner that lives, takes it over
 * from one that has died, and otherwise starts it. It answers when the promise resolves, but may still be loading.
 */
export async function claimServer(
  place: PrivateServerPlace,
  path: string | undefined,
  log: ServerLog,
): Promise<OwnedServer | BorrowedServer> {
  const release = await acquireLock(place.lockFile);
  try {
    const record = readRecord(place);
    const socketPath = record?.socketPath ?? place.socketPath;
    const probe = await probeUntilItSpeaks(socketPath);
    if (probe.state === 'down') {
      // Its socket is gone: nobody can use it any more, but it would go on writing the same files.
      if (record && isAlive(record.server)) await endProcess(record.server, END_TIMEOUT_MS);
      return await launch(place, path, log);
    }
    if (record && isAlive(record.owner)) {
      log.info({ pid: record.server.pid, owner: record.owner.pid }, 'using the private Redis of another process');
      return { owner: false, socketPath };
    }
    if (!record || record.server.pid !== probe.pid || !isAlive(record.server)) {
      log.warn({ socketPath }, 'using a private Redis that this process did not start and cannot end; it stays');
      return { owner: false, socketPath };
    }
    writeRecord(place, { ...record, owner: thisProcess() });
    log.info({ pid: probe.pid }, 'took over the private Redis of a process that has died');
    return { owner: true, socketPath, server: record.server };
  } finally {
    release();
  }
}

export function thisProcess(): ProcessIdentity {
  return identifyProcess(process.pid) ?? { pid: process.pid, started: 'unknown' };
}

async function launch(place: PrivateServerPlace, path: string | undefined, log: ServerLog): Promise<OwnedServer> {
  const { program, version } = await chooseServer(path);
  prepareSocketFolder(place);
  const child = spawnServer(program, version, place);
  if (child.pid === undefined) throw new Error(`${program} cannot be run`, { cause: (await once(child, 'error'))[0] });
  const server = identifyProcess(child.pid) ?? { pid: child.pid, started: 'ended at once' };
  // At once: whoever comes after a crash from here on knows of it.
  writeRecord(place, { socketPath: place.socketPath, server, owner: thisProcess() });
  child.unref();
  try {
    await waitForAnswer(child, place);
  } catch (error) {
    await endProcess(server, END_TIMEOUT_MS);
    rmSync(place.recordFile, { force: true });
    throw error;
  }
  log.info({ pid: server.pid, program, version, dir: place.dir }, 'private Redis started');
  return { owner: true, socketPath: place.socketPath, server, child };
}

/** A server that is busy or frozen gets some time: to start another beside it would ruin its files. */
async function probeUntilItSpeaks(socketPath: string): Promise<Exclude<Probe, { state: 'silent' }>> {
  for (const deadline = performance.now() + SILENCE_TIMEOUT_MS; ; await sleep(50)) {
    const probe = await probeServer(socketPath);
    if (probe.state !== 'silent') return probe;
    if (performance.now() > deadline) {
      throw new Error(`the private Redis at ${socketPath} runs but does not answer: end it, then start again`);
    }
  }
}

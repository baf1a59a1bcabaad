import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BorrowedServer, claimServer, type OwnedServer, type ServerLog, thisProcess } from './claim-server.js';
import { endProcess } from './end-process.js';
import { acquireLock } from './exclusive-lock.js';
import { describeEnd, hasEnded } from './launch-server.js';
import { type PrivateServerPlace, preparePlace, readRecord, removeSocket } from './private-server-place.js';
import { probeServer } from './probe-server.js';
import { isAlive } from './process-identity.js';

/** So many deaths within a minute, and it is not started again. */
const MOST_DEATHS = 5;
const DEATHS_WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const ADOPTED_CHECK_MS = 500;
const LOADING_LINE_MS = 5000;

/** A Redis for one data folder. */
export interface PrivateServer {
  readonly socketPath: string;
  /** Whether `stop` ends it. */
  readonly owner: boolean;
  /** Ends the server if this process owns it; once, however often it is called. */
  stop(): Promise<void>;
}

export interface PrivateServerOptions {
  dataDir: string;
  log: ServerLog;
  /** Where programs are looked for; default: the PATH of this process. */
  path?: string | undefined;
  /** The server has ended for good: it died several times within a minute. */
  onLost?: (error: Error) => void;
  /** How long the server may take to end before it is killed, ms; default 10,000. */
  stopTimeoutMs?: number;
}

/**
 * Gives the private Redis of a data folder: persistent, on a Unix socket that this user alone can open. It is started if
 * nobody runs it, shared if another process does, and taken over if that process has died; while it is this process's
 * own, it is started again whenever it dies. Throws a PrivateServerMissingError where there is no server program.
 */
export async function startPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const { dataDir, log, path = process.env.PATH, onLost, stopTimeoutMs = 10_000 } = options;
  const place = preparePlace(dataDir);
  const stopping = new AbortController();
  let current = await open(place, path, log);
  // Whoever is connected comes back to the same socket.
  place.socketPath = current.socketPath;
  let unwatch = watch(current, onDeath);
  let reviving: Promise<void> | undefined;
  let deaths: number[] = [];
  let stopped: Promise<void> | undefined;

  function onDeath(): void {
    if (stopping.signal.aborted) return;
    log.error({ dir: place.dir, log: place.logFile }, 'the private Redis has died; starting it again');
    reviving = revive();
  }

  async function revive(): Promise<void> {
    while (!stopping.signal.aborted) {
      const now = performance.now();
      deaths = [...deaths.filter((death) => now - death < DEATHS_WINDOW_MS), now];
      if (deaths.length >= MOST_DEATHS) {
        const error = new Error(`the private Redis died ${MOST_DEATHS} times within a minute: see ${place.logFile}`);
        log.error({ dir: place.dir }, `${error.message}; it is not started again`);
        onLost?.(error);
        return;
      }
      try {
        await sleep(FIRST_PAUSE_MS * 2 ** (deaths.length - 1), undefined, { signal: stopping.signal });
        current = await open(place, path, log);
        unwatch = watch(current, onDeath);
        return;
      } catch (error) {
        if (!stopping.signal.aborted)
          log.error({ reason: String(error) }, 'the private Redis could not be started again');
      }
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    unwatch();
    await reviving;
    if (current.owner) await end(current, place, stopTimeoutMs, log);
  }

  return {
    get socketPath() {
      return current.socketPath;
    },
    get owner() {
      return current.owner;
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** The server, ready to be used. */
async function open(place: PrivateServerPlace, path: string | undefined, log: ServerLog) {
  const claimed = await claimServer(place, path, log);
  for (let lastLine = performance.now(); ; await sleep(50)) {
    const { state } = await probeServer(claimed.socketPath);
    if (state === 'up') return claimed;
    if (state === 'down') {
      const child = claimed.owner ? claimed.child : undefined;
      if (child === undefined) throw new Error(`the private Redis at ${claimed.socketPath} ended while it was loading`);
      if (hasEnded(child)) throw new Error(describeEnd(child, place));
    }
    if (performance.now() - lastLine > LOADING_LINE_MS) {
      log.info({ dir: place.dir }, 'the private Redis is loading its data');
      lastLine = performance.now();
    }
  }
}

/** Calls `onDeath` once when an owned server has ended. Gives back what stops watching. */
function watch(claimed: OwnedServer | BorrowedServer, onDeath: () => void): () => void {
  if (!claimed.owner) return () => {};
  const { child, server } = claimed;
  if (child && !hasEnded(child)) {
    child.once('exit', onDeath);
    return () => child.off('exit', onDeath);
  }
  const timer = setInterval(() => {
    if (isAlive(server)) return;
    clearInterval(timer);
    onDeath();
  }, ADOPTED_CHECK_MS).unref();
  return () => clearInterval(timer);
}

async function end(owned: OwnedServer, place: PrivateServerPlace, timeoutMs: number, log: ServerLog): Promise<void> {
  const release = await acquireLock(place.lockFile);
  try {
    const owner = readRecord(place)?.owner;
    const me = thisProcess();
    if (owner?.pid !== me.pid || owner.started !== me.started) return;
    const { killed } = await endProcess(owned.server, timeoutMs);
    if (killed) log.warn({ pid: owned.server.pid, timeoutMs }, 'the private Redis did not end in time and was killed');
    removeSocket(place);
    rmSync(place.recordFile, { force: true });
  } finally {
    release();
  }
}

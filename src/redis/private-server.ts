import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BorrowedServer, claimServer, type OwnedServer, type ServerLog, thisProcess } from './claim-server.js';
import { endProcess } from './end-process.js';
import { acquireLock } from './exclusive-lock.js';
import { describeEnd, hasEnded } from './launch-server.js';
import { type PrivateServerPlace, preparePlace, readRecord, removeSocket } from './private-server-place.js';
import { probeServer } from './probe-server.js';
import type { ProcessIdentity } from './process-identity.js';
import { checkBorrowed, watchBorrowed, watchOwned } from './watch-server.js';

/** So many deaths within a minute, and it is not started again. */
const MOST_DEATHS = 5;
const DEATHS_WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LOADING_LINE_MS = 5000;

/** A Redis for one data folder. */
export interface PrivateServer {
  readonly socketPath: string;
  /** Whether `stop` ends it. It changes when this process takes the place of an owner that is gone. */
  readonly owner: boolean;
  /** Ends the server if this process owns it, or if nobody does any more; once, however often it is called. */
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
 * nobody runs it, shared if another process does, and taken over if that process has died. While it is this process's
 * own, it is started again whenever it dies; while it is another's, this process (or one more that shares it) takes the
 * owner's place once that is gone, on the same socket. Throws a PrivateServerMissingError where there is no server program.
 */
export async function startPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const { dataDir, log, path = process.env.PATH, onLost, stopTimeoutMs = 10_000 } = options;
  const place = preparePlace(dataDir);
  const stopping = new AbortController();
  let current = await claimServer(place, path, log);
  for (let loaded = false; !loaded; ) {
    try {
      await waitUntilLoaded(current, place, log);
      loaded = true;
    } catch (error) {
      if (current.owner) throw error;
      // Its owner stopped it just now: to claim it again starts it.
      current = await claimServer(place, path, log);
    }
  }
  // Whoever is connected comes back to the same socket.
  place.socketPath = current.socketPath;
  let unwatch = watch();
  let reviving: Promise<void> | undefined;
  let deaths: number[] = [];
  let stopped: Promise<void> | undefined;

  function watch(): () => void {
    return current.owner ? watchOwned(current, onDeath) : watchBorrowed(place, current, onLeft);
  }

  function onDeath(): void {
    if (stopping.signal.aborted) return;
    log.error({ dir: place.dir, log: place.logFile }, 'the private Redis has died; starting it again');
    reviving = revive(true);
  }

  function onLeft(): void {
    if (stopping.signal.aborted) return;
    log.info({ dir: place.dir }, 'the owner of the private Redis is gone; taking its place, unless another has');
    reviving = revive(false);
  }

  /** That an owner has left is no death of the server: it counts only when the server cannot be opened after that. */
  async function revive(died: boolean): Promise<void> {
    for (let failed = died; !stopping.signal.aborted; failed = true) {
      const now = performance.now();
      deaths = deaths.filter((death) => now - death < DEATHS_WINDOW_MS);
      if (failed) deaths.push(now);
      if (deaths.length >= MOST_DEATHS) {
        const error = new Error(`the private Redis died ${MOST_DEATHS} times within a minute: see ${place.logFile}`);
        log.error({ dir: place.dir }, `${error.message}; it is not started again`);
        onLost?.(error);
        return;
      }
      try {
        const pause = failed ? FIRST_PAUSE_MS * 2 ** (deaths.length - 1) : 0;
        await sleep(pause, undefined, { signal: stopping.signal });
        current = await claimServer(place, path, log);
        await waitUntilLoaded(current, place, log);
        unwatch = watch();
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
    // Its owner has died just now: nobody else may come to end it.
    if (!current.owner && (await checkBorrowed(place, current.socketPath)) === 'ownerless')
      current = await claimServer(place, path, log);
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

async function waitUntilLoaded(
  claimed: OwnedServer | BorrowedServer,
  place: PrivateServerPlace,
  log: ServerLog,
): Promise<void> {
  for (let lastLine = performance.now(); ; await sleep(50)) {
    const { state } = await probeServer(claimed.socketPath);
    if (state === 'up') return;
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

async function end(owned: OwnedServer, place: PrivateServerPlace, timeoutMs: number, log: ServerLog): Promise<void> {
  const release = await acquireLock(place.lockFile);
  try {
    const record = readRecord(place);
    // By now another may own it, or this process by another handle, which started a server of its own.
    if (!record || !isSame(record.owner, thisProcess()) || !isSame(record.server, owned.server)) return;
    const { killed } = await endProcess(owned.server, timeoutMs);
    if (killed) log.warn({ pid: owned.server.pid, timeoutMs }, 'the private Redis did not end in time and was killed');
    removeSocket(place);
    rmSync(place.recordFile, { force: true });
  } finally {
    release();
  }
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.started === other.started;
}

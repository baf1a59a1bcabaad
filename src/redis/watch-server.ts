import { setTimeout as sleep } from 'node:timers/promises';
import type { BorrowedServer, OwnedServer } from './claim-server.js';
import { hasEnded } from './launch-server.js';
import { type PrivateServerPlace, readRecord } from './private-server-place.js';
import { probeServer } from './probe-server.js';
import { isAlive } from './process-identity.js';

const CHECK_MS = 500;
/** Longer than an owner's pauses before it starts a dead server again: until then that is left to the owner. */
const HEALING_MS = 2500;

/** `ownerless`: it runs, but who owned it has died. `healing`: it is down, and its owner lives. `gone`: both are away. */
export type BorrowedState = 'used' | 'ownerless' | 'healing' | 'gone';

/** Calls `onDeath` once when an owned server has ended. Gives back what stops watching. */
export function watchOwned({ child, server }: OwnedServer, onDeath: () => void): () => void {
  if (child && !hasEnded(child)) {
    child.once('exit', onDeath);
    return () => child.off('exit', onDeath);
  }
  const timer = setInterval(() => {
    if (isAlive(server)) return;
    clearInterval(timer);
    onDeath();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Calls `onLeft` once when a borrowed server needs another owner: its own has stopped it or died, or does not start it
 * again. Gives back what stops watching.
 */
export function watchBorrowed(
  place: PrivateServerPlace,
  { socketPath }: BorrowedServer,
  onLeft: () => void,
): () => void {
  let watching = true;
  async function watch(): Promise<void> {
    let healingSince: number | undefined;
    while (watching) {
      await sleep(CHECK_MS, undefined, { ref: false });
      if (!watching) return;
      const state = await checkBorrowed(place, socketPath);
      healingSince = state === 'healing' ? (healingSince ?? performance.now()) : undefined;
      const healed = healingSince === undefined || performance.now() - healingSince < HEALING_MS;
      if (state === 'used' || (state === 'healing' && healed)) continue;
      if (watching) onLeft();
      return;
    }
  }
  void watch();
  return () => {
    watching = false;
  };
}

/** How a borrowed server and its owner are. Never rejects: what cannot be found out now counts as `used`. */
export async function checkBorrowed(place: PrivateServerPlace, socketPath: string): Promise<BorrowedState> {
  try {
    const record = readRecord(place);
    const owned = record !== undefined && isAlive(record.owner);
    const runs = record !== undefined && isAlive(record.server);
    // Almost always; it costs no connection.
    if (owned && runs) return 'used';
    const probe = await probeServer(socketPath);
    if (probe.state === 'down') return owned ? 'healing' : 'gone';
    if (owned || !runs || probe.state === 'silent') return 'used';
    return probe.pid === record.server.pid ? 'ownerless' : 'used';
  } catch {
    return 'used';
  }
}

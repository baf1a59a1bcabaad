import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from './process-identity.js';

const PAUSE_MS = 10;

/** Asks a process to end, and kills it if it has not within `timeoutMs`. Resolves when it is gone. */
export async function endProcess(identity: ProcessIdentity, timeoutMs: number): Promise<{ killed: boolean }> {
  let killed = false;
  signal(identity, 'SIGTERM');
  for (const deadline = performance.now() + timeoutMs; isAlive(identity); await sleep(PAUSE_MS)) {
    if (killed || performance.now() < deadline) continue;
    signal(identity, 'SIGKILL');
    killed = true;
  }
  return { killed };
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

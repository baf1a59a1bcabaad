import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js';

const PAUSE_MS = 25;

/**
 * Waits until no other process holds the lock that a file stands for, and gives back what releases it. A lock whose
 * holder has died is broken. Rejects after `timeoutMs` (default 60,000), naming the holder.
 */
export async function acquireLock(file: string, { timeoutMs = 60_000 } = {}): Promise<() => void> {
  const draft = `${file}.${randomUUID()}`;
  const content = JSON.stringify({ ...identifyProcess(process.pid), nonce: draft });
  // Linked into its place, so that nobody ever reads half of it.
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    for (const deadline = performance.now() + timeoutMs; ; await sleep(PAUSE_MS)) {
      if (tryLink(draft, file)) return () => rmSync(file, { force: true });
      const held = readIfThere(file);
      if (held === undefined) continue;
      const holder = JSON.parse(held) as ProcessIdentity;
      if (!isAlive(holder)) breakLock(file, held);
      else if (performance.now() > deadline) {
        throw new Error(`process ${holder.pid} has held ${file} for ${timeoutMs} ms: end it, or wait for it`);
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the lock of a dead process. Of all who found it, only the one that creates the marker may; and it looks again,
 * as another may have done so before, and a third may hold the lock by now.
 */
function breakLock(file: string, held: string): void {
  const marker = `${file}.broken-${createHash('sha256').update(held).digest('hex').slice(0, 16)}`;
  try {
    writeFileSync(marker, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  try {
    if (readIfThere(file) === held) rmSync(file);
  } finally {
    rmSync(marker, { force: true });
  }
}

function tryLink(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

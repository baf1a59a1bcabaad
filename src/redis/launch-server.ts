import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findServer } from './find-server.js';
import { privateServerConfig } from './private-server-config.js';
import { PrivateServerMissingError } from './private-server-missing-error.js';
import type { PrivateServerPlace } from './private-server-place.js';
import { probeServer } from './probe-server.js';
import { isSupported, OLDEST_VERSION, readVersionLine } from './server-version.js';

const ANSWER_TIMEOUT_MS = 15_000;
const PAUSE_MS = 10;
const LONGEST_LOG_BYTES = 1_000_000;

/** Finds a server of a version that will do. Throws a {@link PrivateServerMissingError} where there is none. */
export async function chooseServer(path: string | undefined): Promise<{ program: string; version: string }> {
  const program = findServer(path);
  if (program === undefined)
    throw new PrivateServerMissingError('neither redis-server nor valkey-server is on the PATH');
  const { stdout } = await promisify(execFile)(program, ['--version']);
  const version = readVersionLine(stdout);
  if (version === undefined || !isSupported(version)) {
    const found = `${program} is of version ${version ?? 'unknown'}, expected ${OLDEST_VERSION} or newer`;
    throw new PrivateServerMissingError(found);
  }
  return { program, version };
}

/**
 * Starts the server of a place, in a process group of its own: an interrupt from the terminal is for Sluice, which ends
 * the server once nobody needs it any more. It gets none of this process's environment, where the secrets are.
 */
export function spawnServer(program: string, version: string, place: PrivateServerPlace): ChildProcess {
  writeFileSync(place.configFile, privateServerConfig(place, version), { mode: 0o600 });
  const output = openSync(place.logFile, sizeOf(place.logFile) > LONGEST_LOG_BYTES ? 'w' : 'a', 0o600);
  try {
    return spawn(program, [place.configFile], {
      cwd: place.dir,
      detached: true,
      stdio: ['ignore', output, output],
      env: {},
    });
  } finally {
    closeSync(output);
  }
}

/** Resolves when the server answers, though it may still be loading; rejects with the end of its log if it ends first. */
export async function waitForAnswer(child: ChildProcess, place: PrivateServerPlace): Promise<void> {
  for (const deadline = performance.now() + ANSWER_TIMEOUT_MS; ; await sleep(PAUSE_MS)) {
    if (hasEnded(child)) throw new Error(describeEnd(child, place));
    const { state } = await probeServer(place.socketPath);
    if (state === 'up' || state === 'loading') return;
    if (performance.now() > deadline) {
      throw new Error(`the private Redis does not answer after ${ANSWER_TIMEOUT_MS} ms: see ${place.logFile}`);
    }
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** How a server ended, with the last lines of its log. */
export function describeEnd(child: ChildProcess, place: PrivateServerPlace): string {
  const log = readFileSync(place.logFile, 'utf8').trimEnd().split('\n').slice(-3).join(' | ');
  return `the private Redis ended (${child.signalCode ?? `code ${child.exitCode}`}); its log ${place.logFile} ends with: ${log}`;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { ProcessIdentity } from './process-identity.js';

/** Systems allow 104 (macOS) or 108 (Linux) bytes, with the zero at the end. */
const LONGEST_SOCKET_PATH = 100;

/** The files of the private Redis of a data folder. */
export interface PrivateServerPlace {
  /** `DATA_DIR/redis`; the others but the socket lie in it. */
  dir: string;
  /** In `dir`, or in a folder for temporary files where that would be too long. */
  socketPath: string;
  configFile: string;
  logFile: string;
  lockFile: string;
  recordFile: string;
}

/** What runs: written by the owner, read by everybody. */
export interface PrivateServerRecord {
  socketPath: string;
  server: ProcessIdentity;
  owner: ProcessIdentity;
}

/** Makes the folders, open to this user alone, and says where everything is. The same for every path to one data folder. */
export function preparePlace(dataDir: string): PrivateServerPlace {
  mkdirSync(join(dataDir, 'redis'), { recursive: true, mode: 0o700 });
  const dir = realpathSync(join(dataDir, 'redis'));
  chmodSync(dir, 0o700);
  const place = {
    dir,
    socketPath: chooseSocketPath(dir),
    configFile: join(dir, 'redis.conf'),
    logFile: join(dir, 'redis.log'),
    lockFile: join(dir, 'lock'),
    recordFile: join(dir, 'server.json'),
  };
  prepareSocketFolder(place);
  return place;
}

/**
 * Makes the folder of the socket, where that is another. Everybody may create files in a folder for temporary ones: who
 * made this one first could read what we store, so a folder of others is refused.
 */
export function prepareSocketFolder(place: PrivateServerPlace): void {
  const folder = dirname(place.socketPath);
  if (folder === place.dir) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o077) === 0) return;
  throw new Error(`${folder}: expected a folder of this user that nobody else can open; remove it, or set TMPDIR`);
}

/** Removes the socket, and its folder where that is another. */
export function removeSocket(place: PrivateServerPlace): void {
  rmSync(place.socketPath, { force: true });
  if (dirname(place.socketPath) !== place.dir) rmSync(dirname(place.socketPath), { recursive: true, force: true });
}

export function readRecord(place: PrivateServerPlace): PrivateServerRecord | undefined {
  try {
    return JSON.parse(readFileSync(place.recordFile, 'utf8')) as PrivateServerRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${place.recordFile} cannot be read: remove it if no Sluice runs on this folder`, { cause: error });
  }
}

/** Replaced in one step: a crash leaves the old one or the new one. */
export function writeRecord(place: PrivateServerPlace, record: PrivateServerRecord): void {
  const draft = `${place.recordFile}.new`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  renameSync(draft, place.recordFile);
}

function chooseSocketPath(dir: string): string {
  const inside = join(dir, 'redis.sock');
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH) return inside;
  const name = `sluice-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`;
  const folder = [tmpdir(), '/tmp']
    .map((parent) => join(parent, name))
    .find((path) => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH - '/redis.sock'.length);
  if (folder === undefined)
    throw new Error('no path is short enough for a socket: set TMPDIR or DATA_DIR to a shorter one');
  return join(folder, 'redis.sock');
}

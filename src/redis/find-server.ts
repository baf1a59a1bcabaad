import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that speak Redis's protocol and read its configuration, the first found is taken. */
const SERVER_NAMES = ['redis-server', 'valkey-server'] as const;

/** The full path of the `redis-server` (or `valkey-server`) that a PATH holds; undefined where there is none. */
export function findServer(path: string | undefined): string | undefined {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of SERVER_NAMES) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

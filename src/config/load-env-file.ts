import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from './read-value.js';

/**
 * The environment together with the variables of a file (`NAME=value` lines, as `node --env-file` reads them). The
 * environment wins. Throws, with the file's name, if the file cannot be read.
 */
export function loadEnvFile(path: string, env: Environment): Environment {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(`--env-file: expected a file that can be read, received ${JSON.stringify(path)} (${reason})`, {
      cause: error,
    });
  }
  return { ...parseEnv(content), ...env };
}

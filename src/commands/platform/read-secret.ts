import { readFile } from 'node:fs/promises';
import { CommandError } from '../command-error.js';

/** A secret out of the environment: the value of `name`, or the contents of the file that `<name>_FILE` names. */
export async function readSecret(env: Record<string, string | undefined>, name: string): Promise<string | undefined> {
  const value = env[name]?.trim();
  const file = env[`${name}_FILE`]?.trim();
  if (value && file) throw new CommandError(`both ${name} and ${name}_FILE are set: expected one of them`, 2);
  return file ? readSecretFile(file, `${name}_FILE`) : value || undefined;
}

/** The contents of a file without the line break that editors leave at its end. `source`: who named the file. */
export async function readSecretFile(file: string, source: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`${source}: cannot read ${file} (${cause.code ?? cause.message})`, 2, { cause });
  });
  if (text.trim() === '') throw new CommandError(`${source}: ${file} is empty`, 2);
  return text.trim();
}

import { readFile } from 'node:fs/promises';
import { CommandError } from '../command-error.js';

/** Standard input, by default that of the process. */
export type Input = AsyncIterable<Uint8Array | string>;

/** The bytes of a file; `-`: of standard input. `source` names the flag in errors. */
export async function readInput(file: string, source: string, stdin: Input): Promise<Buffer> {
  if (file !== '-') {
    return readFile(file).catch((cause: NodeJS.ErrnoException) => {
      throw new CommandError(`${source}: cannot read ${file} (${cause.code ?? cause.message})`, 2, { cause });
    });
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

export interface BodyFlags {
  body?: string;
  file?: string;
}

/** The body: the text of `--body`, or what is in a file (`--file`, or named without a flag). */
export async function readBody(flags: BodyFlags, named: string | undefined, stdin: Input): Promise<Buffer> {
  const given = [flags.body, flags.file, named].filter((value) => value !== undefined);
  if (given.length > 1) throw new CommandError('expected one body, received several: --body, --file or a file', 2);
  if (flags.body !== undefined) return Buffer.from(flags.body);
  const file = flags.file ?? named;
  if (file === undefined) throw new CommandError('expected a body: --body TEXT, --file FILE, or - (standard input)', 2);
  return readInput(file, '--file', stdin);
}

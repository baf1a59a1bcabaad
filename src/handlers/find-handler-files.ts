import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { HandlerProblem } from './handler-load-error.js';

/** Extensions of handler modules. */
const EXTENSIONS = ['.js', '.mjs', '.ts'];
const EXPECTED = `expected a folder, or a file that ends in ${EXTENSIONS.join(', ')}`;

/** What the sources name. */
export interface FoundFiles {
  /** Absolute paths, in the order of the sources, those of a folder sorted by name; none twice. */
  files: string[];
  /** Absolute paths of folders that do not exist. */
  missing: string[];
  problems: HandlerProblem[];
}

/**
 * The handler modules of folders and files; relative ones are taken from the working directory. Of a folder those directly
 * in it: no `.d.ts`, no tests, nothing that begins with a dot or an underscore.
 */
export async function findHandlerFiles(sources: readonly string[]): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], missing: [], problems: [] };
  const seen = new Set<string>();
  for (const source of sources.map((path) => resolve(path))) {
    try {
      for (const file of await filesOf(source, found)) {
        const identity = await realpath(file);
        if (!seen.has(identity)) found.files.push(file);
        seen.add(identity);
      }
    } catch (cause) {
      found.problems.push({ file: source, problem: `cannot be read: ${(cause as Error).message}`, cause });
    }
  }
  return found;
}

async function filesOf(source: string, found: FoundFiles): Promise<string[]> {
  const kind = await kindOf(source);
  if (kind === 'folder') return filesOfFolder(source);
  const extension = extname(source);
  if (kind === 'file' && EXTENSIONS.includes(extension)) return [source];
  if (kind === 'nothing' && extension === '') found.missing.push(source);
  else
    found.problems.push({ file: source, problem: `${EXPECTED}; received ${kind === 'file' ? 'another file' : kind}` });
  return [];
}

async function filesOfFolder(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter(isHandlerFileName).sort();
  const paths = names.map((name) => join(folder, name));
  const kinds = await Promise.all(paths.map(kindOf));
  return paths.filter((_, index) => kinds[index] === 'file');
}

function isHandlerFileName(name: string): boolean {
  if (/^[._]/.test(name) || /\.test\.|\.d\.ts$/.test(name)) return false;
  return EXTENSIONS.includes(extname(name));
}

/** Follows symbolic links: the files of a mounted Kubernetes ConfigMap are such. */
async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing';
    throw error;
  }
}

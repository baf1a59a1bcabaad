import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILT = new URL('../../dist/', import.meta.url);
const SOURCES = ['handlers/', 'protocol/'].map((folder) => new URL(`../../src/${folder}`, import.meta.url));
const SCRIPT = new URL('../fixtures/handlers/report-handlers.mjs', import.meta.url);

export interface Report {
  /** What each handler returned or threw, by name. */
  attempts?: Record<string, { returned?: unknown; message?: string; permanent?: boolean; sameCopy?: boolean }>;
  files?: Record<string, string>;
  warnings: string[];
  error?: { name: string; message: string; problems: { file: string; problem: string }[]; causes: string[] };
  /** What else the process wrote: Node's own warnings. */
  stderr: string;
}

/** Loads handlers in a process of its own, as the service does: Jest's modules are not those of Node. */
export async function loadInProcess(options: { sources: string[]; defaultSource?: boolean }): Promise<Report> {
  const json = JSON.stringify({ defaultSource: false, ...options });
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [fileURLToPath(SCRIPT), BUILT.href, json], {
    env,
    timeout: 20_000,
  });
  return { ...JSON.parse(stdout), stderr };
}

/** Throws where there is no built copy, or where it is not that of the sources. */
export async function checkBuiltCopy(): Promise<void> {
  const built = await modifiedAt(new URL('index.js', BUILT));
  if (built === undefined) {
    throw new Error('these tests load handlers into a built copy, and there is none in dist/: run `npm run build`');
  }
  for (const folder of SOURCES) {
    for (const name of await readdir(folder, { recursive: true })) {
      if (name.endsWith('.ts') && ((await modifiedAt(new URL(name, folder))) ?? 0) > built) {
        throw new Error(`dist/ is older than ${fileURLToPath(new URL(name, folder))}: run \`npm run build\``);
      }
    }
  }
}

async function modifiedAt(url: URL): Promise<number | undefined> {
  return (await stat(url).catch(() => undefined))?.mtimeMs;
}

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const CHECK_TIMEOUT_MS = 10_000;

/**
 * Where a syntax error is, as `path:line`; undefined where that cannot be found. Node writes it at the top of the stack for
 * CommonJS; for an ES module it keeps it to itself, so its own checker is asked about the file.
 */
export async function locateSyntaxError(error: Error, file: string): Promise<string | undefined> {
  const [first = ''] = (error.stack ?? '').split('\n');
  if (!first.startsWith(error.name) && /:\d+$/.test(first)) return first;
  const source = await readFile(file, 'utf8');
  const line = /^\[stdin\]:(\d+)$/m.exec(await checkModule(source))?.[1];
  return line && `${file}:${line}`;
}

/** What Node has to say of a module that it parses, but does not run. */
function checkModule(source: string): Promise<string> {
  return new Promise((resolve) => {
    const checker = execFile(
      process.execPath,
      ['--input-type=module', '--check', '-'],
      { timeout: CHECK_TIMEOUT_MS },
      (_error, _stdout, stderr) => resolve(stderr),
    );
    checker.stdin?.on('error', () => {}).end(source);
  });
}

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkBuiltCopy, loadInProcess } from './built-copy.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let page: string;
let folder: string;

beforeAll(async () => {
  await checkBuiltCopy();
  page = await readFile(join(ROOT, 'docs/writing-handlers.md'), 'utf8');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-page-'));
  for (const [, name = '', source = ''] of page.matchAll(/^```[jt]s\n\/\/ (\S+)\n(.*?)^```/gms)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), source);
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the page for authors of handlers', () => {
  it('shows handlers that load', async () => {
    const { files, error } = await loadInProcess({ sources: [join(folder, 'handlers')] });
    expect(error).toBeUndefined();
    expect(Object.keys(files ?? {})).toEqual(['catalogue', 'notify']);
  });

  it('shows a test that passes, where Sluice is a development dependency', async () => {
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/sluice'));
    const test = promisify(execFile)(process.execPath, ['--test', 'handlers/notify.test.js'], {
      cwd: folder,
      timeout: 20_000,
    });
    expect((await test).stdout).toMatch(/pass 1\b/);
  });

  it('shows handlers whose types hold', async () => {
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/sluice'));
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
    const options = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: ['node'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['handlers'] }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const problems = await promisify(execFile)(process.execPath, [tsc, '-p', folder], { timeout: 25_000 }).then(
      () => '',
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
    expect(problems).toBe('');
  });

  it.each(['name', 'on', 'handle', 'concurrency', 'attempts', 'backoffMs', 'timeoutMs', 'onExhausted'])(
    'explains the option %s',
    (option) => expect(page).toMatch(new RegExp(`\\n\\| \`${option}\` +\\|`)),
  );
});

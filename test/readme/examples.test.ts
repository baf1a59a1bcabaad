import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadInProcess } from '../handlers/built-copy.js';
import { blocks, ROOT, readme } from './pages.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-readme-'));
  for (const code of blocks(readme, 'ts')) {
    const [, name = ''] = /^\/\/ (\S+)\n/.exec(code) ?? [];
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), code);
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the handler in the README', () => {
  it('loads', async () => {
    const { files, error } = await loadInProcess({ sources: [join(folder, 'handlers')] });
    expect(error).toBeUndefined();
    expect(Object.keys(files ?? {})).toEqual(['catalogue']);
  });

  it('has types that hold', async () => {
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/sluice'));
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
    const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: ['node'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['handlers'] }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', timeout: 25_000 }).stdout).toBe('');
  });
});

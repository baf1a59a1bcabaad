import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findHandlerFiles } from '../../src/handlers/find-handler-files.js';

let folder: string;
const inFolder = (...names: string[]) => names.map((name) => join(folder, name));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-handlers-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(...names: string[]): Promise<void> {
  for (const name of names) await writeFile(join(folder, name), '');
}

describe('findHandlerFiles', () => {
  it('takes the modules directly in a folder, by name', async () => {
    await write('b.js', 'B.mjs', 'a.ts', 'a.b.js');
    expect(await findHandlerFiles([folder])).toEqual({
      files: inFolder('B.mjs', 'a.b.js', 'a.ts', 'b.js'),
      missing: [],
      problems: [],
    });
  });

  it('leaves out declarations, tests, what begins with a dot or an underscore, other files and folders', async () => {
    await write('a.d.ts', 'a.test.js', 'a.test.ts', '.a.js', '_a.js', 'a.cjs', 'a.json', 'README.md', 'js', 'a.js.map');
    await mkdir(join(folder, 'lib.js'));
    await mkdir(join(folder, 'lib'));
    await write('lib/a.js');
    expect(await findHandlerFiles([folder])).toEqual({ files: [], missing: [], problems: [] });
  });

  it('follows symbolic links, as a mounted ConfigMap has them', async () => {
    await mkdir(join(folder, '..2026'));
    await write('..2026/a.js');
    await symlink('..2026', join(folder, '..data'));
    await symlink('..data/a.js', join(folder, 'a.js'));
    expect((await findHandlerFiles([folder])).files).toEqual(inFolder('a.js'));
  });

  it('takes files and folders in the order given, each file once', async () => {
    await write('a.js', 'b.ts', '_c.js');
    const sources = inFolder('b.ts', '_c.js');
    expect((await findHandlerFiles([...sources, folder, join(folder, 'a.js')])).files).toEqual(
      inFolder('b.ts', '_c.js', 'a.js'),
    );
  });

  it('tells a folder that is missing from a file that is', async () => {
    expect(await findHandlerFiles(inFolder('none', 'none.js'))).toEqual({
      files: [],
      missing: inFolder('none'),
      problems: [
        {
          file: join(folder, 'none.js'),
          problem: 'expected a folder, or a file that ends in .js, .mjs, .ts; received nothing',
        },
      ],
    });
  });

  it('refuses a file that is no module', async () => {
    await write('handlers.py');
    const { problems } = await findHandlerFiles(inFolder('handlers.py', 'handlers.py/a.js'));
    expect(problems.map(({ problem }) => problem)).toEqual([
      'expected a folder, or a file that ends in .js, .mjs, .ts; received another file',
      expect.stringMatching(/^cannot be read: ENOTDIR/),
    ]);
  });
});

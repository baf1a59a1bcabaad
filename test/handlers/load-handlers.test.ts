import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkBuiltCopy, loadInProcess } from './built-copy.js';

let folder: string;

beforeAll(checkBuiltCopy);
beforeEach(async () => {
  // Outside of this repository, so that nothing is found in its node_modules.
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sluice-handlers-')));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, source] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), source);
  }
}

const load = (...sources: string[]) => loadInProcess({ sources: sources.length > 0 ? sources : [folder] });
const plain = (name: string) => `{ name: '${name}', on: ['started'], handle: () => '${name}' }`;
const thrown = (message: string) => ({ message, permanent: true, sameCopy: true });

describe('loading handlers that import sluice from a folder without it', () => {
  const esm = (name: string) => `
    import { defineHandler, PermanentError } from 'sluice';
    export default defineHandler({
      name: '${name}',
      on: ['started'],
      async handle({ data }) {
        const again = await import('sluice');
        throw new PermanentError(data.streamId + (again.PermanentError === PermanentError));
      },
    });`;

  it.each(['.js', '.mjs'])('takes an ES module %s', async (extension) => {
    await write({ [`a${extension}`]: esm('a') });
    expect(await load()).toMatchObject({
      attempts: { a: thrown('s-1true') },
      files: { a: join(folder, `a${extension}`) },
      warnings: [],
      stderr: '',
    });
  });

  it('takes TypeScript, with its types, enums and sibling modules', async () => {
    await write({
      'lib/count.ts': 'export const count: { value: number } = { value: 0 };',
      'a.ts': `
        import { defineHandler, type HandlerContext, PermanentError, type StartedNotification } from 'sluice';
        import { count } from './lib/count.ts';
        enum Colour { Red = 'red' }
        await Promise.resolve();
        export default defineHandler({
          name: 'a',
          on: ['started'],
          async handle(notification: StartedNotification, { id }: HandlerContext) {
            count.value += 1;
            const again = await import('sluice');
            const same = again.PermanentError === PermanentError;
            throw new PermanentError([notification.data.streamId, id, Colour.Red, same, count.value].join());
          },
        });`,
      'b.ts': `
        import { count } from './lib/count.js';
        export default { name: 'b', on: ['started'] as const, handle: () => ++count.value };`,
    });
    expect(await load()).toMatchObject({
      attempts: { a: thrown('s-1,id-1,red,true,1'), b: { returned: 2 } },
      stderr: '',
    });
  });

  it('takes CommonJS, compiled from ES modules or not', async () => {
    await write({
      'a.js': `
        const { defineHandler, PermanentError } = require('sluice');
        const handle = () => { throw new PermanentError(String(require('sluice').PermanentError === PermanentError)); };
        module.exports = defineHandler({ name: 'a', on: ['started'], handle });`,
      'b.js': `
        'use strict';
        Object.defineProperty(exports, '__esModule', { value: true });
        const sluice_1 = require('sluice');
        exports.default = sluice_1.defineHandler(${plain('b')});`,
      'c.ts': `import { defineHandler } from 'sluice'; export = defineHandler(${plain('c')});`,
    });
    expect(await load()).toMatchObject({
      attempts: { a: thrown('true'), b: { returned: 'b' }, c: { returned: 'c' } },
      stderr: '',
    });
  });

  it('finds what else they import in their own node_modules, where sluice is the running copy too', async () => {
    await write({
      'node_modules/dependency/package.json': '{ "exports": "./index.js" }',
      'node_modules/dependency/index.js': `
        const { PermanentError } = require('sluice');
        exports.fail = () => { throw new PermanentError('from the dependency'); };`,
      'node_modules/sluice/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/sluice/index.js': 'export const defineHandler = () => { throw new Error("the wrong copy"); };',
      'a.mjs': `
        import { fail } from 'dependency';
        import { defineHandler } from 'sluice';
        export default defineHandler({ name: 'a', on: '*', handle: () => fail() });`,
      'b.ts': `
        import { fail } from 'dependency';
        import { defineHandler } from 'sluice';
        export default defineHandler({ name: 'b', on: '*', handle: () => fail() });`,
    });
    const failed = thrown('from the dependency');
    expect(await load()).toMatchObject({ attempts: { a: failed, b: failed }, stderr: '' });
  });

  it('knows the handlers and errors of another copy', async () => {
    const errors = fileURLToPath(new URL('../../dist/handlers/errors.js', import.meta.url));
    await cp(errors, join(folder, '_errors.mjs'));
    await write({
      'a.mjs': `
        import { PermanentError, RetryAfterError } from './_errors.mjs';
        const handler = (name, handle) =>
          Object.freeze({ name, on: '*', handle, anOptionToCome: 1, [Symbol.for('sluice.handler')]: true });
        export default [
          handler('a', () => { throw new PermanentError('no'); }),
          handler('b', () => { throw new RetryAfterError(70); }),
        ];`,
    });
    expect((await load()).attempts).toEqual({
      a: { message: 'no', permanent: true, sameCopy: false },
      b: { message: 'try again in 70 ms', permanent: false, retryAfterMs: 70, sameCopy: false },
    });
  });
});

describe('loading handlers', () => {
  it('takes plain objects and arrays, checked as defineHandler checks', async () => {
    await write({
      'b.js': `export default ${plain('b')};`,
      'a.js': `export default [${plain('a2')}, ${plain('a1')}];`,
      'c.mjs': `export default { ...${plain('c')}, retries: 3 };`,
    });
    const file = join(folder, 'c.mjs');
    expect((await load(join(folder, 'b.js'), join(folder, 'a.js'))).files).toEqual({
      b: join(folder, 'b.js'),
      a2: join(folder, 'a.js'),
      a1: join(folder, 'a.js'),
    });
    expect((await load()).error?.problems).toMatchObject([
      {
        file,
        problem: expect.stringMatching(/^expected `export default defineHandler.*handler 'c': unknown 'retries'/),
      },
    ]);
  });

  it('lists every file that cannot be loaded, with what it threw', async () => {
    await write({
      'good.js': `export default ${plain('good')};`,
      'syntax.js': `export default {\n  name: 'a'\n  on: '*',\n};`,
      'syntax-cjs.js': `module.exports = {\n  name: 'a'\n  on: '*',\n};`,
      'syntax.ts': `export default {\n  name: 'a'\n  on: '*',\n};`,
      'throws.mjs': `throw new RangeError('no database at db:5432');`,
      'throws.ts': `throw 'a text';`,
      'unknown.mjs': `import 'not-installed';`,
      'unknown.ts': `import { no } from './not-there.js'; export default no;`,
    });
    const { error, attempts } = await load();
    expect(attempts).toBeUndefined();
    expect(error?.name).toBe('HandlerLoadError');
    expect(error?.message.split('\n')[0]).toBe('cannot load the handlers: 7 problems');
    const expected = {
      'syntax-cjs.js': `SyntaxError: .* \\(${join(folder, 'syntax-cjs.js')}:3\\)`,
      'syntax.js': `SyntaxError: .* \\(${join(folder, 'syntax.js')}:3\\)`,
      'syntax.ts': `ParseError: .*\n${join(folder, 'syntax.ts')}:3:2`,
      'throws.mjs': 'RangeError: no database at db:5432',
      'throws.ts': "'a text'",
      'unknown.mjs': "Error: Cannot find package 'not-installed' imported from",
      'unknown.ts': "Error: Cannot find module './not-there.js'",
    };
    expect(error?.problems).toMatchObject(
      Object.entries(expected).map(([name, cause]) => ({
        file: join(folder, name),
        problem: expect.stringMatching(
          new RegExp(`^expected \`export default defineHandler\\({ … }\\)\`; it threw (Error: )?${cause}`),
        ),
      })),
    );
    for (const { file } of error?.problems ?? []) expect(error?.message).toContain(file);
    expect(error?.causes).toContain('RangeError: no database at db:5432');
    expect(error?.causes).toHaveLength(8);
  });

  it('keeps the one cause of a single broken file', async () => {
    await write({ 'a.js': `throw new Error('why');` });
    expect((await load()).error?.causes).toEqual(['Error: why']);
  });

  it.each([
    ['no default export', 'a.mjs', 'export const handler = 1;', 'received no default export'],
    ['no default export', 'a.ts', 'export const handler = 1;', 'received no default export'],
    ['an empty array', 'a.mjs', 'export default [];', 'received an empty array'],
    ['a function', 'a.ts', 'export default () => {};', 'received [Function'],
    ['something else among handlers', 'a.js', `export default [${plain('a')}, 5];`, 'received 5'],
    ['nothing', 'a.js', '', 'name: expected'],
  ])('refuses a file that exports %s: %s', async (_, name, source, received) => {
    await write({ [name]: source });
    const problems = (await load()).error?.problems;
    expect(problems).toMatchObject([
      {
        file: join(folder, name),
        problem: expect.stringMatching(/^expected `export default defineHandler\({ … }\)`; /),
      },
    ]);
    expect(problems?.[0]?.problem).toContain(received);
  });

  it('refuses two handlers of one name, naming both files', async () => {
    await write({ 'a.js': `export default ${plain('same')};`, 'b.ts': `export default ${plain('same')};` });
    expect((await load()).error?.message).toBe(
      `cannot load the handlers: ${join(folder, 'b.ts')}: expected another name than 'same': ` +
        `a handler of ${join(folder, 'a.js')} has it`,
    );
  });

  it('refuses a configured file that is not there, together with those that are broken', async () => {
    await write({ 'broken.js': `throw new Error('why');` });
    const files = [join(folder, 'none.mjs'), join(folder, 'broken.js')];
    expect((await load(...files)).error?.problems.map(({ file }) => file)).toEqual(files);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createForwardHandler } from '../../src/handlers/builtin/forward.js';
import type { HandlerLog } from '../../src/handlers/handler.js';
import { type LoadHandlersOptions, loadHandlers } from '../../src/handlers/load-handlers.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-handlers-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function load(options: Partial<LoadHandlersOptions>) {
  const warnings: unknown[] = [];
  const log: Pick<HandlerLog, 'debug' | 'warn'> = { debug() {}, warn: (line: unknown) => void warnings.push(line) };
  const { handlers, files } = await loadHandlers({ sources: [folder], defaultSource: false, log, ...options });
  return { names: handlers.map(({ name }) => name), files: [...files], warnings };
}

const forward = createForwardHandler({ url: 'https://example.com/', secret: 'secret' });

describe('loading handlers where there are none', () => {
  it('runs the log handler alone, and warns, where the folder is missing, be it the default or not', async () => {
    const missing = join(folder, 'handlers');
    const expected = {
      names: ['log'],
      files: [],
      warnings: [`HANDLERS: there is no folder ${missing}; the built-in handler 'log' runs alone`],
    };
    expect(await load({ sources: [missing], defaultSource: true })).toEqual(expected);
    expect(await load({ sources: [missing] })).toEqual(expected);
  });

  it('does so where the folder is empty', async () => {
    expect(await load({})).toMatchObject({
      names: ['log'],
      warnings: [
        `HANDLERS: there are no handler modules (.js, .mjs, .ts) in ${folder}; the built-in handler 'log' runs alone`,
      ],
    });
  });

  it('runs what is built in instead, and warns of a folder that somebody named', async () => {
    const missing = join(folder, 'handlers');
    const builtIn = [forward];
    expect(await load({ sources: [missing], defaultSource: true, builtIn })).toMatchObject({
      names: ['forward'],
      warnings: [],
    });
    expect(await load({ sources: [missing], builtIn })).toMatchObject({
      names: ['forward'],
      warnings: [`HANDLERS: there is no folder ${missing}`],
    });
  });

  it('refuses a missing file, the default or not', async () => {
    await expect(load({ sources: [join(folder, 'a.js')], defaultSource: true })).rejects.toMatchObject({
      name: 'HandlerLoadError',
      problems: [{ file: join(folder, 'a.js') }],
    });
  });

  it('refuses a name that something built in has', async () => {
    await expect(load({ builtIn: [forward, forward] })).rejects.toThrow(
      "cannot load the handlers: Sluice itself: expected another name than 'forward': a handler of Sluice itself has it",
    );
  });
});

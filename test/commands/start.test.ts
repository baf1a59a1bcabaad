import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startCommand } from '../../src/commands/start.js';
import { runCommand } from './run-command.js';

const start = (words: string[], env: Record<string, string> = {}) => runCommand(startCommand, ['start', ...words], env);

describe('start', () => {
  it('lists every problem of the configuration, and exits 1', async () => {
    const { code, out, err } = await start([], { PORT: 'abc', LOG_LEVEL: 'loud' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const lines = err.split('\n');
    expect(lines[0]).toBe('sluice: the configuration has 3 problems:');
    expect(lines.slice(1).map((line) => /^ {2}(\w+): expected/.exec(line)?.[1])).toEqual([
      'PORT',
      'LOG_LEVEL',
      'APPLICATION_SECRET',
    ]);
  });

  it('reads an env file, over which the environment wins', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-start-'));
    try {
      const file = join(folder, 'service.env');
      await writeFile(file, 'PORT=from-the-file\nAPPLICATION_SECRET=secret\nROLE=from-the-file\n');
      const { err } = await start(['--env-file', file], { ROLE: 'from-the-environment' });
      expect(err).toContain('PORT: expected a whole number from 0 to 65535, received "from-the-file"');
      expect(err).toContain('received "from-the-environment"');
      expect(err).not.toContain('APPLICATION_SECRET');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('names an env file that is not there', async () => {
    const { code, err } = await start(['--env-file', './nowhere.env']);
    expect(code).toBe(1);
    expect(err).toBe('sluice: --env-file: expected a file that can be read, received "./nowhere.env" (ENOENT)');
  });

  it('exits 2 on what it does not know, and tells by its help what it does', async () => {
    expect(await start(['--port', '80'])).toMatchObject({ code: 2, out: '' });
    expect(await start(['now'])).toMatchObject({ code: 2, out: '' });
    const { code, out } = await start(['--help']);
    expect(code).toBe(0);
    expect(out).toContain('Example:\n  APPLICATION_SECRET=… sluice start');
  });
});

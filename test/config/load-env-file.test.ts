import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadEnvFile } from '../../src/config/load-env-file.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-env-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

describe('loadEnvFile', () => {
  it('adds the variables of a file, as Node reads them, and lets the environment win', () => {
    const path = join(dir, 'env');
    writeFileSync(path, '# a comment\nPORT=8080\nexport HOST="127.0.0.1" # why\nQUEUE_PREFIX=\'{a b}\'\nROLE=worker\n');
    expect(loadEnvFile(path, { PORT: '9090', HOME: '/root' })).toEqual({
      PORT: '9090',
      HOME: '/root',
      HOST: '127.0.0.1',
      QUEUE_PREFIX: '{a b}',
      ROLE: 'worker',
    });
  });

  it('names a file that cannot be read', () => {
    const path = join(dir, 'missing');
    expect(() => loadEnvFile(path, {})).toThrow(
      `--env-file: expected a file that can be read, received "${path}" (ENOENT)`,
    );
  });
});

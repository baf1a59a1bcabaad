import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { settings } from '../../src/config/settings.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8').split('\n');
const instructions = read('Dockerfile')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ name: line.split(' ', 1)[0] as string, rest: line.slice(line.indexOf(' ') + 1) }));
const final = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const of = (name: string) => final.filter((instruction) => instruction.name === name).map(({ rest }) => rest);

/** What is copied out of this folder, in any stage. */
const copied = instructions
  .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from='))
  .flatMap(({ rest }) => rest.split(' ').slice(0, -1));

describe('the Dockerfile', () => {
  it('copies what is there, and what .dockerignore lets through', () => {
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    const [first, ...exceptions] = read('.dockerignore').filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    expect(exceptions.map((line) => line.replace(/^!/, '')).sort()).toEqual([...new Set(copied)].sort());
  });

  it('sets variables that somebody reads', () => {
    const known = ['NODE_ENV', ...Object.values(settings).map(({ name }) => name)];
    const set = of('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0] as string));
    expect(set).toContain('DATA_DIR');
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('opens the ports that are the default', () => {
    expect(of('EXPOSE')).toEqual([`${settings.port.default} ${settings.adminPort.default}`]);
  });

  it('runs the service as a user without rights, and ends it as the service expects', () => {
    expect(of('USER')).toEqual(['node']);
    expect(final.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      final.findLastIndex(({ name }) => name === 'RUN'),
    );
    expect(of('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(of('ENTRYPOINT').map((rest) => JSON.parse(rest))).toEqual([['node', 'dist/cli.js']]);
    expect(of('CMD').map((rest) => JSON.parse(rest))).toEqual([['start']]);
    expect(of('HEALTHCHECK')[0]).toMatch(/CMD \["node", "docker\/healthcheck\.mjs"\]$/);
  });

  it('takes along nothing but what runs', () => {
    const stages = instructions.filter(({ name }) => name === 'FROM').map(({ rest }) => rest);
    expect(stages).toEqual(['node:24-slim AS build', 'node:24-slim AS dependencies', 'node:24-slim']);
    expect(of('COPY')).toContain('--from=dependencies /app/node_modules node_modules');
    expect(instructions.find(({ rest }) => rest.includes('--omit=dev'))).toBeDefined();
  });
});

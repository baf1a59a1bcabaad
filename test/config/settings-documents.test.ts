import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { environmentExample, findSettingsTable, settingsTable } from '../../scripts/describe-settings.js';
import { type Setting, settings } from '../../src/config/settings.js';
import { readConfig } from '../../src/config.js';

const all: Setting[] = Object.values(settings);
const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

// Where one of these fails, `npx jiti scripts/write-settings.ts` brings the documents up to date.
describe('what is written about the settings', () => {
  it.each(['README.md', 'docs/configuration.md'])('%s has every name, default and meaning', (name) => {
    const table = findSettingsTable(read(name));
    expect(table?.lines.map(squeeze)).toEqual(settingsTable(all).map(squeeze));
  });

  it('.env.example has every setting', () => {
    expect(read('.env.example')).toBe(environmentExample(all));
  });

  it('.env.example is a configuration once the secret is filled in, the default one', () => {
    const active = parseEnv(read('.env.example').replace('APPLICATION_SECRET=', 'APPLICATION_SECRET=s'));
    const everything = parseEnv(read('.env.example').replaceAll(/^#(?=[A-Z])/gm, ''));
    expect(readConfig(active)).toEqual(readConfig({ APPLICATION_SECRET: 's' }));
    expect(readConfig({ ...everything, APPLICATION_SECRET: 's' })).toEqual(readConfig({ APPLICATION_SECRET: 's' }));
    expect(Object.keys(everything).sort()).toEqual(all.map(({ name }) => name).sort());
  });

  it('no secret has a default', () => {
    expect(all.filter(({ secret }) => secret).map((setting) => setting.default)).not.toContainEqual(expect.anything());
  });
});

/** Editors align columns; that is no difference. */
function squeeze(row: string): string {
  return row
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/-+/g, '-')
    .replaceAll(/ ?\| ?/g, '|')
    .trim();
}

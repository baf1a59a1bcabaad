// Brings the tables of settings in README.md and docs/configuration.md, and .env.example, up to date with
// src/config/settings.ts. Run: npx jiti scripts/write-settings.ts && npm run format
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/config/settings.js';
import { environmentExample, findSettingsTable, settingsTable } from './describe-settings.js';

const all = Object.values(settings);
const root = new URL('../', import.meta.url);

for (const name of ['README.md', 'docs/configuration.md']) {
  const file = new URL(name, root);
  const markdown = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const table = findSettingsTable(markdown);
  if (!table) {
    console.error(`${name}: expected a table "| Name | Default | Meaning |" under the heading "## Configuration"`);
    process.exitCode = 1;
    continue;
  }
  const lines = markdown.split('\n');
  lines.splice(table.from, table.to - table.from, ...settingsTable(all));
  writeFileSync(file, lines.join('\n'));
}
writeFileSync(new URL('.env.example', root), environmentExample(all));

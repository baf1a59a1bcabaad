import type { Setting } from '../src/config/settings.js';

/** The lines of the table of settings, as README.md and docs/configuration.md have it. */
export function settingsTable(settings: readonly Setting[]): string[] {
  const rows = settings.map(
    (setting) => `| \`${setting.name}\` | ${describeDefault(setting)} | ${setting.meaning.replaceAll('|', '\\|')} |`,
  );
  return ['| Name | Default | Meaning |', '|---|---|---|', ...rows];
}

function describeDefault(setting: Setting): string {
  if (setting.required) return 'required';
  if (setting.default === undefined) return 'none';
  return setting.default === '' ? 'empty' : `\`${setting.default}\``;
}

/** The content of `.env.example`: every setting with its default, out of force but for those that have to be set. */
export function environmentExample(settings: readonly Setting[]): string {
  const entries = settings.flatMap((setting) => {
    const file = setting.secret ? [`# (or the path of a file that holds it, in ${setting.name}_FILE)`] : [];
    const line = `${setting.name}=${setting.default ?? ''}`;
    return [`# ${setting.meaning.replaceAll('`', '')}.`, ...file, setting.required ? line : `#${line}`, ''];
  });
  return [
    '# Copy to .env and run: sluice start --env-file .env',
    '# What has a # before it shows the default. An empty value counts as not set; the environment wins over this file.',
    '',
    ...entries,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** The lines of the first table under the heading `## Configuration`, and where they stand; undefined if there is none. */
export function findSettingsTable(markdown: string): { lines: string[]; from: number; to: number } | undefined {
  const all = markdown.split('\n');
  const heading = all.findIndex((line) => line.trim() === '## Configuration');
  if (heading === -1) return undefined;
  const next = all.findIndex((line, index) => index > heading && /^#{1,2} /.test(line));
  const end = next === -1 ? all.length : next;
  const from = all.findIndex((line, index) => index > heading && index < end && /^\|\s*Name\s*\|/.test(line));
  if (from === -1) return undefined;
  let to = from;
  while (to < end && all[to]?.startsWith('|')) to++;
  return { lines: all.slice(from, to), from, to };
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { settings } from '../../src/config/settings.js';
import { createMetrics } from '../../src/console/metrics.js';
import { CHECKS } from '../../src/protocol/signature.js';
import { ANSWERS, RETRY_AFTER_S } from '../../src/receiver/answers.js';
import { blocks, codeSpans, type Page, pages, ROOT, readme } from './pages.js';

/** Of Node; and what stands for any name. */
const FOREIGN = ['NODE_EXTRA_CA_CERTS', 'NAME'];

const known = new Set([
  ...FOREIGN,
  ...Object.values(settings).map(({ name }) => name),
  // Of commands, and constants that a page explains.
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => readFileSync(join(ROOT, 'src', name), 'utf8').match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []),
]);

/** Names of the environment, and what looks like one. */
function upperCaseNames(page: Page): string[] {
  const code = [...codeSpans(page), ...blocks(page, 'sh'), ...blocks(page, 'nginx')].join('\n');
  return code.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{4,}(?==)/g) ?? [];
}

describe('the names in the documentation', () => {
  it.each(pages.map((page) => [page.path, page] as const))(
    'of the environment, in %s, are read by somebody',
    (_, page) => {
      expect(upperCaseNames(page).filter((name) => !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
    },
  );

  it('of the environment are found where they stand', () => {
    expect(upperCaseNames(readme)).toEqual(expect.arrayContaining(['PUBLIC_BASE_PATH', 'ROLE', 'PLATFORM_URL']));
  });

  it('of metrics are those that there are, with their labels', async () => {
    const metrics = createMetrics();
    metrics.collectDepths(async () => []);
    const own = metrics.registry.getMetricsAsArray().filter(({ name }) => name.startsWith('sluice_'));
    const rows = [...readme.text.matchAll(/^\| `(sluice_\w+)` +\| ([^|]*?) *\|/gm)];
    const written = rows.map(([, name, labels = '']) => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    ]);
    const expected = own.map((metric) => [metric.name, (metric as unknown as { labelNames: string[] }).labelNames]);
    expect(written.sort()).toEqual(expected.sort());
  });

  it('of answers are those that there are', () => {
    const [, section = ''] = readme.text.split(/^## What the platform is answered$/m);
    const [table = ''] = section.split(/^## /m);
    const written = [...table.matchAll(/(\d{3}) `\{"status":"([a-z-]+)"/g)].map(
      ([, http, status]) => `${http} ${status}`,
    );
    const expected = Object.values(ANSWERS).map(({ http, status }) => `${http} ${status}`);
    expect([...new Set(written)].sort()).toEqual([...new Set(expected)].sort());
    expect(table).toContain(`\`Retry-After: ${RETRY_AFTER_S}\``);
  });

  it('of the checks of a signature are those that there are', () => {
    for (const check of CHECKS) expect(readme.text).toContain(`\`${check}\``);
  });
});

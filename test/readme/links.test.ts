import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Page, pages, prose, ROOT } from './pages.js';

/** Targets of links, those to other places aside. */
function targets(page: Page): string[] {
  const found = [...prose(page).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return found.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page, made of its headings as GitHub makes them. */
function anchors(text: string): string[] {
  const headings = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

function isThere(page: Page, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file));
  if (path.startsWith('..') || !existsSync(join(ROOT, path))) return false;
  if (anchor === undefined) return true;
  return statSync(join(ROOT, path)).isFile() && anchors(readFileSync(join(ROOT, path), 'utf8')).includes(anchor);
}

describe('the links of the documentation', () => {
  it.each(pages.map((page) => [page.path, page] as const))('of %s lead to files and headings that exist', (_, page) => {
    expect(targets(page).filter((target) => !isThere(page, target))).toEqual([]);
  });

  it('lead from the README to every page that is not a decision', () => {
    const [readme, ...others] = pages as [Page, ...Page[]];
    const linked = targets(readme).map((target) => target.split('#')[0]);
    const expected = others.map(({ path }) => path).filter((path) => !path.startsWith('docs/decisions/'));
    expect(expected.filter((path) => !linked.includes(path))).toEqual([]);
  });

  it('are looked at closely enough: a wrong file and a wrong heading are found', () => {
    const page = { path: 'README.md', text: '' };
    expect(isThere(page, 'docs/configuration.md#redis')).toBe(true);
    expect(isThere(page, 'docs/configuration.md#no-such-heading')).toBe(false);
    expect(isThere(page, 'docs/no-such-page.md')).toBe(false);
    expect(isThere(page, '../elsewhere.md')).toBe(false);
  });
});

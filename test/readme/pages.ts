import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A page of the documentation, by its path from the root. */
export interface Page {
  path: string;
  text: string;
}

/** README.md and all pages below docs/. */
export const pages: readonly Page[] = [
  'README.md',
  ...readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
].map((path) => ({ path, text: readFileSync(ROOT + path, 'utf8') }));

export const readme = pages[0] as Page;

/** A page's text without its fenced blocks. */
export function prose({ text }: Page): string {
  return text.replaceAll(/^```.*?^```$/gms, '');
}

/** The contents of a page's fenced blocks of a language. */
export function blocks({ text }: Page, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
}

/** What stands in `backticks` in a page. */
export function codeSpans(page: Page): string[] {
  return [...prose(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

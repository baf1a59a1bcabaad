import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { loadCommands } from '../../src/commands/load-commands.js';
import type { Terminal } from '../../src/commands/program.js';
import { blocks, codeSpans, type Page, pages, prose, ROOT, readme } from './pages.js';

const terminal: Terminal = { out: () => {}, err: () => {}, isTty: false, env: {} };

/** The flags of every command of the program, by the words after `sluice`. */
const flags = new Map<string, string[]>();
const groups = new Set<string>();

beforeAll(async () => {
  for (const command of await loadCommands(undefined, terminal)) readCommand(command, '');
});

function readCommand(command: Command, parent: string): void {
  const words = `${parent} ${command.name()}`.trim();
  flags.set(words, ['--help', ...command.options.flatMap(({ long }) => long ?? [])]);
  if (command.commands.length > 0) groups.add(words);
  for (const child of command.commands) readCommand(child, words);
}

/** Every command that a page names, as it stands there. */
function named(page: Page): string[] {
  const lines = blocks(page, 'sh').flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'));
  const inBlocks = lines.flatMap((line) => line.match(/\bsluice [a-z].*|(?<=node dist\/cli\.js ).*/g) ?? []);
  const inSpans = codeSpans(page).filter((code) => /^sluice [a-z]/.test(code));
  // "`sluice failed list` · `show`" names two.
  const lists = prose(page).matchAll(/`sluice ([a-z]+) [a-z-]+`((?: · `[a-z-]+`)+)/g);
  const inLists = [...lists].flatMap(([, command, rest = '']) =>
    [...rest.matchAll(/`([a-z-]+)`/g)].map(([, name]) => `sluice ${command} ${name}`),
  );
  return [...inBlocks, ...inSpans, ...inLists].map((command) => command.replace(/^sluice /, ''));
}

/** What is wrong with a command; undefined: nothing. */
function problemOf(command: string): string | undefined {
  const [first = '', second = ''] = command.split(' ');
  const name = groups.has(first) && /^[a-z]/.test(second) ? `${first} ${second}` : first;
  const known = flags.get(name);
  if (!known) return `there is no 'sluice ${name}'`;
  const [own = ''] = command.split(/[|>)]/);
  const unknown = (own.match(/(?<=\s)--[a-z][a-z-]*/g) ?? []).filter((flag) => !known.includes(flag));
  return unknown.length === 0 ? undefined : `'sluice ${name}' has no ${unknown.join(', ')}`;
}

describe('the commands that the documentation names', () => {
  it.each(pages.map((page) => [page.path, page] as const))('in %s exist, with the flags named', (_, page) => {
    const problems = named(page).map((command) => problemOf(command));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('are all there are, in the README', () => {
    // Those of the sandbox have a page of their own.
    const all = [...flags.keys()].filter((words) => !words.startsWith('sandbox '));
    const commands = all.filter((words) => !groups.has(words) || words === 'sandbox');
    const inReadme = named(readme);
    const isNamed = (words: string) => inReadme.some((command) => `${command} `.startsWith(`${words} `));
    expect(commands.filter((words) => !isNamed(words))).toEqual([]);
  });

  it('are looked at closely enough: a wrong command and a wrong flag are found', () => {
    expect(problemOf('start --env-file .env')).toBeUndefined();
    expect(problemOf('begin')).toBe("there is no 'sluice begin'");
    expect(problemOf('failed retry')).toBe("there is no 'sluice failed retry'");
    expect(problemOf('failed list --handlers catalogue')).toBe("'sluice failed list' has no --handlers");
  });

  it('of npm are scripts of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const text = pages.flatMap((page) => [...codeSpans(page), ...blocks(page, 'sh')]).join('\n');
    const named = [...text.matchAll(/npm (?:run )?(build|check|demo|format|start|test|run [a-z:]+)\b/g)];
    const names = named.map(([, name = '']) => name.replace('run ', ''));
    expect(names).toContain('demo');
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });
});

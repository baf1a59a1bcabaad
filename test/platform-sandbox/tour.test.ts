import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServices, type Services } from '../helpers/service.js';
import { type ServiceGuard, startServiceGuard } from '../helpers/service-guard.js';
import { until } from '../helpers/until.js';
import { isShown, readTour, type Step } from './read-tour.js';
import { portForLater } from './service-beside-sandbox.js';
import { openShell, type ShellSession } from './shell-session.js';

const ROOT = resolve(import.meta.dirname, '../..');
const CLI = process.env.SLUICE_TEST_CLI ?? join(ROOT, 'dist/cli.js');
const PAGE = await readFile(join(ROOT, 'docs/tour.md'), 'utf8');

/** Commands that go on until Ctrl-C. */
const GOES_ON = /^sluice (start|sandbox( --.*)?)$/;
/** Commands that a reader repeats until they show what has happened meanwhile. */
const MAY_BE_REPEATED = /^(cat |sluice (failed list|sandbox deliveries|platform manifest))/;

describe('docs/tour.md', () => {
  const shells = new Map<string, ShellSession>();
  let services: Services;
  let guard: ServiceGuard;
  let ports: { callback: number; admin: number; sandbox: number };
  let env: Record<string, string>;

  beforeAll(async () => {
    services = await createServices();
    guard = startServiceGuard(services.dir);
    ports = { callback: await portForLater(), admin: await portForLater(), sandbox: await portForLater() };
    const bin = join(services.dir, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'sluice'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@" </dev/null\n`);
    await chmod(join(bin, 'sluice'), 0o755);
    const { PATH = '', HOME = '' } = process.env;
    const sandbox = `http://127.0.0.1:${ports.sandbox}`;
    env = {
      PATH: `${bin}:${PATH}`,
      HOME,
      PORT: `${ports.callback}`,
      ADMIN_PORT: `${ports.admin}`,
      SANDBOX_URL: sandbox,
    };
  });
  afterAll(async () => {
    for (const shell of shells.values()) await shell.close();
    await guard?.stop();
    await services?.close();
  });

  /** Where the page has its own ports, the test has those that were free. */
  function placed(text: string): string {
    const moved = text
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.callback}`)
      .replaceAll('--port 3000', `--port ${ports.callback}`)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${ports.sandbox}`);
    return moved.replace(/^sluice sandbox --(?!port)/, `sluice sandbox --port ${ports.sandbox} --`);
  }

  async function shellOf(name: string): Promise<ShellSession> {
    const open = shells.get(name);
    if (open) return open;
    const shell = openShell(services.dir, env);
    guard.watch({ pid: -shell.pid, ended: shell.ended });
    // What the page tells to paste: all that the first shell has shown for it.
    const exports =
      shells
        .get('first')
        ?.screen()
        .match(/^ {2}export .*$/gm) ?? [];
    for (const line of exports) expect((await shell.run(line)).code).toBe(0);
    expect(exports).toHaveLength(shells.size === 0 ? 0 : 6);
    shells.set(name, shell);
    return shell;
  }

  /** Runs a command as the page has it; what it shows, once that is what the page says. */
  async function follow(shell: ShellSession, line: string, shows: string | undefined): Promise<void> {
    const [command = '', comment] = line.split(/ {2}# /);
    const code = Number(/exit code (\d)/.exec(comment ?? '')?.[1] ?? 0);
    if (GOES_ON.test(command) && !command.includes('--publish')) {
      const before = shell.screen().length;
      shell.begin(placed(command));
      const shown = () => shell.screen().slice(before);
      await until(`${command} shows\n${shows}`, () => isShown(placed(shows ?? ''), shown())).catch((cause) => {
        throw new Error(shown(), { cause });
      });
      return;
    }
    let last = { code: -1, shown: '' };
    const runs = async () => {
      last = await shell.run(placed(command));
      return last.code !== code || shows === undefined || isShown(placed(shows), last.shown);
    };
    if (MAY_BE_REPEATED.test(command)) await until(command, runs).catch(() => {});
    else await runs();
    expect({ command, code: last.code, shown: last.code === code ? '' : last.shown }).toEqual({
      command,
      code,
      shown: '',
    });
    if (shows !== undefined && !isShown(placed(shows), last.shown)) expect(last.shown).toBe(placed(shows));
  }

  const named = (step: Step): [string, Step] => [
    'file' in step
      ? `save ${step.file}`
      : [`${step.shell} shell`, step.interrupt && 'Ctrl-C', ...step.lines].filter(Boolean).join('; '),
    step,
  ];

  it.each(readTour(PAGE).map(named))(
    '%s',
    async (_name, step) => {
      if ('file' in step) {
        await writeFile(join(services.dir, 'tour', step.file), step.text);
        return;
      }
      const shell = await shellOf(step.shell);
      if (step.interrupt) expect(await shell.interrupt()).toBe(0);
      for (const [index, line] of step.lines.entries()) {
        await follow(shell, line, index === step.lines.length - 1 ? step.shows : undefined);
      }
    },
    60_000,
  );

  it('ends as it says', async () => {
    expect(await shells.get('second')?.interrupt()).toBe(0);
  });
});

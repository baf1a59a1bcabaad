import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runProgram } from '../../src/commands/program.js';
import { sandboxCommand } from '../../src/commands/sandbox.js';
import { startOrderingReceiver } from './ordering-receiver.js';
import { curl, parseShell, shellCommands } from './shell.js';
import { createTestTerminal, type TestTerminal } from './terminal.js';

const docs = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
const commands = shellCommands(docs);

describe('docs/sandbox.md', () => {
  let receiver: Awaited<ReturnType<typeof startOrderingReceiver>>;
  let env: Record<string, string> = {};
  const servers: { interruption: AbortController; done: Promise<number> }[] = [];

  beforeAll(async () => {
    receiver = await startOrderingReceiver({}, {}, 'recorder');
  });
  afterAll(async () => {
    for (const { interruption, done } of servers) {
      interruption.abort();
      expect(await done).toBe(0);
    }
    await receiver.close();
  });

  /** Where the documentation has its own ports, the test has those that were free. */
  const placed = (word: string) =>
    word
      .replace('http://127.0.0.1:3000', `http://127.0.0.1:${receiver.callback.port}`)
      .replace('"port": 3000', `"port": ${receiver.callback.port}`)
      .replace('http://127.0.0.1:4000', env.SANDBOX_URL ?? 'http://127.0.0.1:4000');

  function sluice(words: string[]): { terminal: TestTerminal; interruption: AbortController; done: Promise<number> } {
    const terminal = createTestTerminal(env);
    const interruption = new AbortController();
    const command = sandboxCommand(terminal, () => interruption.signal);
    return { terminal, interruption, done: runProgram([command], words, terminal) };
  }

  it.each(commands)('%s', async (line) => {
    const { words, comment, redirect } = parseShell(line, env);
    const [program, ...args] = words.map(placed);
    if (program === 'curl') {
      const { status, body } = await curl(args);
      expect([status, body]).toEqual([Number(comment ?? 200), expect.anything()]);
      return;
    }
    expect(program).toBe('sluice');
    const serves = args[1]?.startsWith('--');
    const running = sluice(serves ? [...args, '--port', '0'] : args);
    if (!serves) {
      expect([await running.done, running.terminal.stderr()]).toEqual([0, '']);
      expect(redirect === undefined || running.terminal.stdout().includes('defineHandler')).toBe(true);
      return;
    }
    await running.terminal.shows(/EGRESS_TOKEN/);
    const said = `${running.terminal.stdout()}${running.terminal.stderr()}`;
    const exported = Object.fromEntries(
      [...said.matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    if (args.includes('--publish')) {
      await receiver.tellUntil({ baseUrl: exported.SANDBOX_URL ?? '' }, running.done);
      expect([await running.done, running.terminal.stderr()]).toEqual([0, expect.not.stringContaining('failed')]);
    } else {
      env = exported;
      servers.push(running);
    }
  });

  it('has the example that a test runs', async () => {
    const example = /```ts\n.*?\n\n(.*?)```/s.exec(docs)?.[1]?.trim() ?? 'no example';
    const test = await readFile(new URL('./example.test.ts', import.meta.url), 'utf8');
    const unindented = test.replaceAll(/^ {2}/gm, '');
    expect(unindented).toContain(example);
  });

  it('names every fault and every option for what the contract leaves open', () => {
    const sandbox = sandboxCommand(createTestTerminal());
    const open = [
      '--unanswered',
      '--last-repeat',
      '--sign-repeats',
      '--timestamp-unit',
      '--ingest-capabilities',
      '--qualities',
    ];
    expect(sandbox.options.map(({ long }) => long)).toEqual(expect.arrayContaining(open));
    for (const text of [...open, ...['reorder', 'repeat', 'lost-ack', 'retag', 'restamp', 'skew', 'bad-signature']]) {
      expect(docs).toContain(`\`${text}`);
    }
  });
});

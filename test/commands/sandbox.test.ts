import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../src/commands/program.js';
import { sandboxCommand } from '../../src/commands/sandbox.js';
import type { Report } from '../../src/sandbox/report/report.js';
import { type ReceiverOptions, startReceiver } from '../sandbox/receiver.js';
import { releasers } from '../sandbox/releasers.js';
import { createTestTerminal } from '../sandbox/terminal.js';

const releasing = releasers();

/** Runs a command to its end; what never ends by itself is interrupted by `close`. */
function start(args: string[], env: Record<string, string> = {}, isTty = false) {
  const terminal = createTestTerminal(env, isTty);
  const interruption = new AbortController();
  const exitCode = runProgram([sandboxCommand(terminal, () => interruption.signal)], ['sandbox', ...args], terminal);
  const command = {
    terminal,
    exitCode,
    interrupt: () => interruption.abort(),
    close: async () => {
      interruption.abort();
      await exitCode;
    },
  };
  return releasing(command);
}

async function run(args: string[], env: Record<string, string> = {}) {
  const { terminal, exitCode } = start(args, env);
  return { exitCode: await exitCode, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

/** A sandbox that runs, and the environment that it tells to use. */
async function serve(args: string[] = []) {
  const server = start(['--port', '0', ...args]);
  await server.terminal.shows(/EGRESS_TOKEN/);
  const exports = server.terminal.stdout().matchAll(/export (\w+)=(\S+)/g);
  return { ...server, env: Object.fromEntries([...exports].map(([, name = '', value = '']) => [name, value])) };
}

async function receiving(options: ReceiverOptions = {}) {
  const receiver = releasing(await startReceiver(options));
  const { host, port, path } = receiver.callback;
  return { receiver, url: `http://${host}:${port}${path}` };
}

describe('sluice sandbox', () => {
  it('tells what is needed to use it, and those tokens are good', async () => {
    const { env } = await serve();
    expect(Object.keys(env)).toEqual([
      'PLATFORM_URL',
      'SANDBOX_URL',
      'APPLICATION_ID',
      'APPLICATION_SECRET',
      'SLUICE_TOKEN',
      'EGRESS_TOKEN',
    ]);
    const put = (path: string, token: string | undefined, uri: string) =>
      fetch(`${env.PLATFORM_URL}/svc/${env.APPLICATION_ID}/stream/${path}`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ uri }),
      });
    expect((await put('publish/uri/srt', env.SLUICE_TOKEN, 'srt://a:1')).status).toBe(200);
    expect((await put('egress/uri/rtmp', env.EGRESS_TOKEN, 'rtmp://a/b/c')).status).toBe(200);
    const end = new Date(Date.now() + 1_000).toISOString();
    const range = new URLSearchParams({
      edgeAuthToken: env.SLUICE_TOKEN ?? '',
      startTime: '2026-01-01T00:00:00.000Z',
      endTime: end,
    });
    const manifest = await fetch(`${env.PLATFORM_URL}/svc/sandbox/stream/replay/primary.m3u8?${range}`);
    expect(manifest.status).toBe(200);
  });

  it('does not show a secret that somebody chose', async () => {
    const { terminal, interrupt, exitCode } = await serve(['--secret', 'chosen-by-me', '--brand', 'Acme']);
    interrupt();
    await exitCode;
    expect(terminal.stdout()).not.toContain('chosen-by-me');
    expect(terminal.stdout()).toContain('export HEADER_BRAND=Acme');
  });

  it('ends with the report when it is interrupted', async () => {
    const { url } = await receiving();
    const { env, terminal, interrupt, exitCode } = await serve(['--callback', url, '--seed', '5', '--speed', '1000']);
    await run(['publish', '--ends-after', '1s'], env);
    await terminal.shows(/Notifications go to POST http/);
    interrupt();
    expect(await exitCode).toBe(0);
    expect(terminal.stdout()).toMatch(
      /seed 5, speed 1000, faults none, fingerprint [0-9a-f]{16}\nstreams {8}1 published/,
    );
    await expect(fetch(env.SANDBOX_URL ?? '')).rejects.toThrow();
  });

  it('ends when its time is up', async () => {
    const { exitCode, stdout } = await run(['--port', '0', '--duration', '20ms']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('0 published')]);
  });

  it('prints deliveries on a terminal, or as asked', async () => {
    const { url } = await receiving();
    const args = ['--port', '0', '--callback', url, '--publish', '1', '--speed', '1000', '--faults', 'bad-signature=1'];
    const shown = start(args, {}, true);
    expect(await shown.exitCode).toBe(0);
    expect(shown.terminal.stdout()).toMatch(/s {2}started {4}sandbox#1\.[0-9a-f]{8} {2}first {2}200 {2}\d+ ms/);
    expect(shown.terminal.stdout()).toMatch(/ended {6}\S+ {2}forged {2}401 {2}\d+ ms {2}forged-/);
    expect((await run([...args, '--deliveries'])).stdout).toContain('started');
    const hidden = start([...args, '--no-deliveries'], {}, true);
    await hidden.exitCode;
    expect(hidden.terminal.stdout()).not.toContain('forged-');
  });

  it.each([
    [['--speed', 'fast'], 2, "option '--speed <n>' argument 'fast' is invalid. Expected a number, 0.1 or more."],
    [['--speed', '20000'], 2, 'sluice: speed: expected at most 10000; received 20000'],
    [['--seed', '1.5'], 2, 'Expected a whole number.'],
    [['--duration', '30'], 2, 'Expected a duration with its unit'],
    [['--duration', '30d'], 2, 'Expected 24d or less.'],
    [['--faults', 'lost=1'], 2, 'sluice: faults: there is no fault "lost"'],
    [['--callback', 'localhost:3000'], 2, 'sluice: --callback: expected http://'],
    [['--qualities', 'xhd,4k'], 2, 'sluice: --qualities: there is no "4k"; there are xhd, hd, sd'],
    [['--unanswered', 'maybe'], 2, 'Allowed choices are repeat, drop.'],
    [['stream'], 2, 'too many arguments'],
    [['answer', 'delete', '503'], 2, 'Allowed choices are any, register, publish, replay, restream.'],
    [['streams', '--sandbox', 'http://127.0.0.1:1'], 1, 'sluice: no sandbox answers at http://127.0.0.1:1'],
    [['streams', '--sandbox', 'nowhere'], 2, 'sluice: --sandbox: expected http://'],
  ] as [string[], number, string][])('fails with %j', async (args, code, message) => {
    const { exitCode, stderr } = await run(args);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it('fails where its port is taken', async () => {
    const { env } = await serve();
    const { port } = new URL(env.SANDBOX_URL ?? '');
    const { exitCode, stderr } = await run(['--port', port]);
    expect([exitCode, stderr]).toEqual([1, `sluice: port ${port} is taken: --port takes another, 0 any that is free`]);
  });

  it.each([[], ['streams'], ['publish'], ['end'], ['deliveries'], ['answer'], ['report'], ['recorder']])(
    'has help with an example: %s',
    async (...command) => {
      const { exitCode, stdout } = await run([...command, '--help']);
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/Examples?:\s+sluice sandbox/)]);
    },
  );
});

describe('a load run', () => {
  const load = ['--port', '0', '--publish', '20', '--rate', '1000', '--speed', '1000', '--report', 'json'];
  const report = (stdout: string) => JSON.parse(stdout) as Report;

  it('ends by itself, and is the same for the same seed', async () => {
    const { url } = await receiving();
    const args = [...load, '--faults', 'all', '--reorder-window', '20ms', '--callback', url];
    const runs = [];
    for (const seed of ['7', '7', '8']) runs.push(await run([...args, '--seed', seed]));
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const [one, other, third] = runs.map(({ stdout }) => report(stdout));
    expect(one?.notifications).toMatchObject({ sent: 360, acknowledged: 360, pending: 0 });
    expect(other?.fingerprint).toBe(one?.fingerprint);
    expect(other?.run).not.toBe(one?.run);
    expect(third?.fingerprint).not.toBe(one?.fingerprint);
    expect(runs[0]?.stderr).toContain('export PLATFORM_URL');
  });

  it('fails where the receiver refuses', async () => {
    const { url } = await receiving({ answer: () => 400 });
    const { exitCode, stderr, stdout } = await run([...load, '--callback', url]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('sluice: the load run failed: 360 notifications were not acknowledged (360 refused');
    expect(report(stdout).notifications.refused).toBe(360);
  });

  it('fails where a handler that must record did not', async () => {
    const { url } = await receiving();
    const failing = start([...load, '--callback', url, '--recorder', 'catalogue', '--duration', '3s']);
    expect(await failing.exitCode).toBe(1);
    expect(failing.terminal.stderr()).toContain('catalogue: 360 lost');
  });

  it('fails where its time is up before', async () => {
    const { url } = await receiving({ answer: () => 503 });
    const { exitCode, stderr } = await run([...load, '--callback', url, '--duration', '500ms']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/notifications were not acknowledged \(0 refused, 0 dropped, \d+ pending\)/),
    ]);
  });

  it('begins when an endpoint is registered, and fails where none ever is', async () => {
    const { receiver } = await receiving();
    const waiting = start(load);
    const [, url] = await waiting.terminal.shows(/PLATFORM_URL=(\S+)/);
    await waiting.terminal.shows(/The load run begins when an endpoint is registered/);
    const answer = await fetch(`${url}/svc/application/sandbox/callback`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('sandbox:sandbox-secret')}` },
      body: JSON.stringify({ callback: receiver.callback }),
    });
    expect(answer.status).toBe(200);
    expect(await waiting.exitCode).toBe(0);
    expect(receiver.authentic()).toHaveLength(360);
    const never = await run([...load, '--duration', '100ms']);
    expect([never.exitCode, never.stderr]).toEqual([1, expect.stringContaining('0 of 20 streams were published')]);
  });
});

describe('the commands for a sandbox that runs', () => {
  it('share no flag with sluice sandbox itself, which would take it from them', () => {
    const sandbox = sandboxCommand(createTestTerminal());
    const own = sandbox.options.map(({ long }) => long);
    for (const command of sandbox.commands) {
      for (const { long } of command.options) expect(own).not.toContain(long);
    }
  });

  it('publish, list and end streams', async () => {
    const { env } = await serve(['--run-id', 'demo']);
    const published = await run(['publish', '--tags', 'news,live', '--capabilities', 'streaming'], env);
    expect(published).toEqual({ exitCode: 0, stdout: 'sandbox#1.demo', stderr: '' });
    expect((await run(['streams'], env)).stdout).toMatch(
      /^STREAM .*\nsandbox#1\.demo {2}live {3}20\S+Z {2}\d+\.\d .*news,live$/,
    );
    const ended = await run(['end', 'sandbox#1.demo', '--reason', 'enough'], env);
    expect(ended.stdout).toMatch(/^sandbox#1\.demo ended after \d+ ms$/);
    const [stream] = JSON.parse((await run(['streams', '--json'], env)).stdout);
    expect(stream).toMatchObject({
      state: 'ended',
      reason: 'enough',
      tags: ['news', 'live'],
      capabilities: ['streaming'],
    });
    const again = await run(['end', 'sandbox#1.demo'], env);
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: 'sluice: the sandbox answered 409: sandbox#1.demo has ended already',
    });
  });

  it('show deliveries', async () => {
    const { url } = await receiving({ answer: ({ message }) => (message.what === 'started' ? 200 : 404) });
    const { env, terminal } = await serve(['--callback', url, '--speed', '1000', '--deliveries', '--run-id', 'demo']);
    await run(['publish', '--ends-after', '1s'], env);
    await terminal.shows(/ended .* 404/);
    const { stdout } = await run(['deliveries', '--state', 'acknowledged'], env);
    expect(stdout).toMatch(/^STREAM .*\nsandbox#1\.demo {2}started {7}acknowledged {2}200$/);
    const refused = await run(
      ['deliveries', '--what', 'ended', '--stream', 'sandbox#1.demo', '--limit', '5', '--json'],
      env,
    );
    expect(JSON.parse(refused.stdout)).toMatchObject([{ name: 'ended', state: 'refused' }]);
  });

  it('prepare answers', async () => {
    const { env } = await serve();
    const replay = async () => {
      const answer = await fetch(`${env.PLATFORM_URL}/svc/sandbox/stream/replay/primary.m3u8`);
      return [answer.status, await answer.text()];
    };
    expect((await run(['answer', 'replay', '504', '--times', '2'], env)).stdout).toBe(
      '504 is the answer to the next 2 requests (replay)',
    );
    expect([await replay(), await replay()]).toEqual(Array(2).fill([504, '{"status":"rate-limited"}']));
    await run(['answer', 'any', '500', '--not-json'], env);
    expect(await replay()).toEqual([500, expect.stringContaining('<html>')]);
    await run(['answer', 'replay', '400', '--status', 'bad-time', '--delay', '1ms'], env);
    expect(await replay()).toEqual([400, '{"status":"bad-time"}']);
    expect((await replay())[0]).toBe(401);
    expect((await run(['answer', 'any', '999'], env)).exitCode).toBe(1);
  });

  it('report, and print the recorder handler', async () => {
    const { env } = await serve();
    expect((await run(['report'], env)).stdout).toMatch(/^run {12}[0-9a-f]{8}: seed 1,/);
    expect(JSON.parse((await run(['report', '--json'], env)).stdout)).toMatchObject({ seed: 1, problems: [] });
    const { stdout } = await run(['recorder', '--name', 'mine'], env);
    expect(stdout).toContain("import { defineHandler } from 'sluice';");
    expect(stdout).toContain(`name: "mine"`);
    expect(stdout).toContain(env.SANDBOX_URL);
  });

  it('say so where something else answers', async () => {
    const { url } = await receiving();
    const { exitCode, stderr } = await run(['streams', '--sandbox', url]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`what answers at ${url} is no sandbox: HTTP`)]);
  });
});

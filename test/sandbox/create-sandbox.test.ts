import { describe, expect, it } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { startReceiver } from './receiver.js';
import { releasers } from './releasers.js';

const releasing = releasers();

describe('createSandbox', () => {
  it('leads a stream through its life in real sockets and a hastened time', async () => {
    const receiver = releasing(await startReceiver());
    const sandbox = releasing(await createSandbox({ speed: 1_000, callback: receiver.callback }));
    sandbox.publish({ durationMs: 5_000 });
    await sandbox.settled();
    expect(receiver.authentic()).toHaveLength(18);
    expect(sandbox.report().notifications).toMatchObject({ sent: 18, acknowledged: 18, pending: 0 });
    const [newest] = receiver.received
      .map(({ message }) => Date.parse(message.timestamp))
      .sort()
      .reverse();
    expect(Math.abs((newest ?? 0) - Date.now())).toBeLessThan(5_000);
  });

  it('lets a slow receiver have its real time, however fast the platform is', async () => {
    const receiver = releasing(await startReceiver({ answer: (_received, count) => (count === 1 ? 'hang' : 200) }));
    const options = { speed: 10_000, callback: receiver.callback, answerTimeoutMs: 200 };
    const sandbox = releasing(await createSandbox(options));
    sandbox.publish({ durationMs: 1 });
    await sandbox.settled();
    expect(sandbox.report().notifications).toMatchObject({ acknowledged: 18, dropped: 0 });
  });

  it('tells of every request when it was answered', async () => {
    const receiver = releasing(await startReceiver());
    const told: string[] = [];
    const sandbox = releasing(
      await createSandbox({
        speed: 1_000,
        callback: receiver.callback,
        faults: 'bad-signature=1',
        onAttempt: ({ what }, { kind, answer }) => told.push(`${what} ${kind} ${JSON.stringify(answer)}`),
      }),
    );
    sandbox.publish({ durationMs: 1 });
    await sandbox.settled();
    expect(told).toHaveLength(36);
    expect(told).toContain('started forged {"http":401}');
    expect(told).toContain('ended first {"http":200}');
  });

  it('waits for the handlers that record, and tells what is missing once nothing more comes', async () => {
    const receiver = releasing(await startReceiver());
    const options = { speed: 1_000, callback: receiver.callback, expectedHandlers: ['slow'] };
    const sandbox = releasing(await createSandbox(options));
    sandbox.publish({ durationMs: 1 });
    await sandbox.settled();
    const messages = receiver.received.map(({ message }) => message);
    messages.sort((one, other) => Date.parse(one.timestamp) - Date.parse(other.timestamp));
    const [first, ...others] = messages.map((notification) => ({ handler: 'slow', notification }));
    sandbox.record(others);
    await sandbox.handled(100);
    expect(sandbox.report().handlers).toMatchObject([{ handler: 'slow', lost: 1 }]);
    const handled = sandbox.handled(60_000);
    sandbox.record({ ...first, late: true });
    await handled;
    expect(sandbox.report().handlers).toMatchObject([{ recorded: 18, lost: 0, outOfOrderUnflagged: 0 }]);
  });

  it('closes while deliveries are on their way and scheduled, and tells those who wait', async () => {
    const receiver = releasing(await startReceiver({ answer: () => 'hang' }));
    const sandbox = await createSandbox({ callback: receiver.callback });
    sandbox.publish({ durationMs: 60_000 });
    const settled = sandbox.settled();
    const [result] = await Promise.all([settled.catch((error: Error) => error.message), sandbox.close()]);
    expect(result).toBe('the sandbox was closed before everything was delivered');
    await expect(fetch(sandbox.baseUrl)).rejects.toThrow();
  });

  it('fails where its port is taken', async () => {
    const first = releasing(await createSandbox());
    const port = Number(new URL(first.baseUrl).port);
    await expect(createSandbox({ port })).rejects.toThrow('EADDRINUSE');
  });

  it.each([
    [{ speed: 0 }, 'speed: expected a number, 0.1 or more; received 0'],
    [{ speed: 100_000 }, 'speed: expected at most 10000; received 100000'],
    [{ concurrency: Number.NaN }, 'concurrency: expected a number, 1 or more'],
    [{ brand: 'a b' }, 'brand: expected letters, digits and -; received "a b"'],
    [{ secret: '' }, 'secret: expected some text'],
    [{ callback: { host: '' } }, 'callback.host: '],
    [{ callback: { host: 'a', path: 'b' } }, 'callback.path: expected a path that starts with /'],
    [{ faults: 'reorder=2' }, 'reorder: expected a chance from 0 to 1'],
    [{ sped: 2 } as SandboxOptions, 'there is no option "sped"'],
  ] as [SandboxOptions, string][])('refuses %j', async (options, problem) => {
    await expect(createSandbox(options)).rejects.toThrow(problem);
  });
});

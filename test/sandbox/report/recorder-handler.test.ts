import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSandbox } from '../../../src/sandbox/create-sandbox.js';
import { recorderHandlerSource } from '../../../src/sandbox/report/recorder-handler.js';
import { startReceiver } from '../receiver.js';
import { releasers } from '../releasers.js';

const releasing = releasers();
let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the module in a Node of its own, where `sluice` gives the definition back, with what it is to handle. */
async function handle(source: string, notification: object, env: Record<string, string> = {}): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'sluice-recorder-'));
  await mkdir(join(folder, 'node_modules/sluice'), { recursive: true });
  const packageJson = JSON.stringify({ name: 'sluice', type: 'module', exports: './index.js' });
  await writeFile(join(folder, 'node_modules/sluice/package.json'), packageJson);
  await writeFile(join(folder, 'node_modules/sluice/index.js'), 'export const defineHandler = (handler) => handler;');
  await writeFile(join(folder, 'recorder.mjs'), source);
  const context = '{ id: "id-1", late: true, replayed: false, signal: AbortSignal.timeout(5_000) }';
  const main = `import recorder from './recorder.mjs';
    await recorder.handle(${JSON.stringify(notification)}, ${context});`;
  await writeFile(join(folder, 'main.mjs'), main);
  await promisify(execFile)(process.execPath, ['main.mjs'], { cwd: folder, env });
}

describe('the recorder handler', () => {
  it('tells the sandbox what it handled', async () => {
    const receiver = releasing(await startReceiver());
    const sandbox = releasing(await createSandbox({ speed: 1_000, callback: receiver.callback }));
    sandbox.publish({ durationMs: 1 });
    await sandbox.settled();
    const notification = receiver.received[0]?.message ?? {};
    await handle(recorderHandlerSource(sandbox.baseUrl), notification);
    expect(sandbox.report().handlers).toMatchObject([
      { handler: 'recorder', recorded: 1, altered: 0, foreign: 0, flaggedInOrder: 1 },
    ]);
    await handle(recorderHandlerSource('http://127.0.0.1:1', 'other'), notification, { SANDBOX_URL: sandbox.baseUrl });
    expect(sandbox.report().handlers[1]).toMatchObject({ handler: 'other', recorded: 1, altered: 0, foreign: 0 });
  });

  it('fails, to be run again, where the sandbox does not take it', async () => {
    const sandbox = releasing(await createSandbox());
    await expect(handle(recorderHandlerSource(sandbox.baseUrl), {})).rejects.toThrow('the sandbox answered 400');
  });
});

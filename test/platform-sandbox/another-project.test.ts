import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../..');
const BUILT = dirname(process.env.SLUICE_TEST_CLI ?? join(ROOT, 'dist/cli.js'));

/** What somebody has who receives the platform's notifications by code of their own. */
const RECEIVER = `import { createServer } from 'node:http';
import { readNotification, verifyNotification } from 'sluice';

/** Keeps what it is sent in memory; answers 503 while \`state.down\` is set. */
export function createReceiver(state) {
  return createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: target, headersDistinct: headers } = request;
    const verification = verifyNotification(
      { method, target, headers, body: Buffer.concat(chunks) },
      { secrets: ['sandbox-secret'], toleranceS: 2700 },
    );
    if (!verification.authentic) return response.writeHead(401).end();
    if (state.down) return response.writeHead(503).end();
    const read = readNotification(verification.body);
    if (read.valid) state.kinds.push(read.notification.what);
    response.writeHead(read.valid ? 200 : 400).end();
  });
}
`;

/** A Jest test as the page on the sandbox has it, in a project that knows nothing of this one but its package. */
function testFile(example: string): string {
  const [imports = '', ...rest] = example.split('\n\n');
  return `import { once } from 'node:events';
${imports}
import { createReceiver } from './receiver.js';

let down = false;
let port = 0;
const state = { get down() { return down; }, kinds: [] };
const receiver = createReceiver(state);
beforeAll(async () => {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  port = receiver.address().port;
});
afterAll(() => new Promise((resolve) => receiver.close(resolve)));

${rest.join('\n\n')}

it('takes each notification of a life', async () => {
  expect(state.kinds.filter((kind) => kind === 'started')).toEqual(['started']);
  expect(state.kinds).toHaveLength(18);
});
`;
}

describe('a project of somebody else', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-another-project-'));
    const modules = join(folder, 'node_modules');
    // As an installed package lies there: package.json, dist.
    await mkdir(join(modules, 'sluice'), { recursive: true });
    await cp(join(ROOT, 'package.json'), join(modules, 'sluice/package.json'));
    await symlink(BUILT, join(modules, 'sluice/dist'));
    const page = await readFile(join(ROOT, 'docs/sandbox.md'), 'utf8');
    const example = /^```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? 'the page has no example';
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', jest: { transform: {} } }));
    await writeFile(join(folder, 'receiver.js'), RECEIVER);
    await writeFile(join(folder, 'outage.test.js'), testFile(example));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('tests its receiver with createSandbox, as the page shows it', async () => {
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const args = ['--experimental-vm-modules', '--no-warnings', jest, '--ci', '--json', '--rootDir', folder];
    const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
      const env = { PATH: process.env.PATH, HOME: process.env.HOME };
      execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 2, numTotalTests: 2 });
  }, 60_000);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { settings } from '../../src/config/settings.js';

const script = fileURLToPath(new URL('../../docker/healthcheck.mjs', import.meta.url));
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen(status: number, host = '127.0.0.1'): Promise<string> {
  const server = createServer(
    (request, response) => void response.writeHead(request.url === '/healthz' ? status : 404).end(),
  );
  server.listen(0, host);
  await once(server, 'listening');
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return String((server.address() as AddressInfo).port);
}

async function check(env: Record<string, string>) {
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, output: output.trim() };
}

describe('the health check of a container', () => {
  it('asks the public listener, wherever it listens', async () => {
    const port = await listen(200);
    for (const HOST of ['', '0.0.0.0', '127.0.0.1']) {
      expect(await check({ PORT: port, HOST, ROLE: 'receiver' })).toEqual({
        status: 0,
        output: `http://127.0.0.1:${port}/healthz: 200`,
      });
    }
  });

  it('asks the admin listener of a worker', async () => {
    const port = await listen(200);
    expect(await check({ ADMIN_PORT: port, PORT: '1', ADMIN_HOST: '0.0.0.0', ROLE: 'worker' })).toMatchObject({
      status: 0,
    });
  });

  it('fails where the answer is not good, and where there is none', async () => {
    const port = await listen(503);
    expect(await check({ PORT: port })).toEqual({ status: 1, output: `http://127.0.0.1:${port}/healthz: 503` });
    expect(await check({ PORT: '1', HOST: '::' })).toMatchObject({
      status: 1,
      output: expect.stringMatching(/^http:\/\/\[::1\]:1\/healthz: /),
    });
  });

  it('has the same defaults as the service', async () => {
    // Whatever may answer on this machine's own ports: it is the address that counts.
    expect((await check({})).output).toContain(`http://127.0.0.1:${settings.port.default}/healthz`);
    expect((await check({ ROLE: 'worker' })).output).toContain(
      `http://${settings.adminHost.default}:${settings.adminPort.default}/healthz`,
    );
  });
});

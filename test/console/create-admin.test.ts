import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Counter, Gauge, Registry } from 'prom-client';
import { type Admin, type AdminOptions, createAdmin } from '../../src/console/create-admin.js';
import { get } from '../helpers/service-http.js';

let admin: Admin;
let lines: string[];

async function start(options: Partial<AdminOptions> = {}): Promise<{ port: number; registry: Registry }> {
  lines = [];
  const registry = new Registry();
  admin = createAdmin({
    host: '127.0.0.1',
    port: 0,
    token: undefined,
    registry,
    readiness: async () => ({ ready: true, reasons: [] }),
    log: pino({ base: null }, { write: (line) => void lines.push(line) }),
    ...options,
  });
  return { port: await admin.listen(), registry };
}

afterEach(() => admin.close());

describe('the admin listener', () => {
  it('says that the process lives, whether it is ready or not', async () => {
    const { port } = await start({
      readiness: async () => ({ ready: false, reasons: ['Redis is away', 'shutting down'] }),
    });
    expect(await get(port, '/healthz')).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await get(port, '/readyz')).toMatchObject({
      status: 503,
      body: '{"status":"unavailable","reasons":["Redis is away","shutting down"]}',
    });
  });

  it('says that it is ready once it is', async () => {
    const { port } = await start();
    expect(await get(port, '/readyz')).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  it('gives the metrics as Prometheus reads them', async () => {
    const { port, registry } = await start();
    new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
    const { status, headers, body } = await get(port, '/metrics');
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
    });
    expect(body).toContain('\nthings_total 3\n');
  });

  it('asks for the token where there is one, for the metrics alone', async () => {
    const { port } = await start({ token: 'token' });
    const unauthorized = { status: 401, body: '{"status":"unauthorized"}', headers: { 'www-authenticate': 'Bearer' } };
    expect(await get(port, '/metrics')).toMatchObject(unauthorized);
    for (const authorization of ['Bearer wrong', 'Bearer token ', 'Basic token', 'token', 'Bearer']) {
      expect((await get(port, '/metrics', { authorization })).status).toBe(
        authorization === 'Bearer token ' ? 200 : 401,
      );
    }
    expect((await get(port, '/metrics', { authorization: 'Bearer token' })).status).toBe(200);
    expect((await get(port, '/healthz')).status).toBe(200);
    expect((await get(port, '/readyz')).status).toBe(200);
  });

  it('answers 404 elsewhere, and 500 where something fails, which the log alone says', async () => {
    const { port, registry } = await start();
    expect(await get(port, '/callback')).toMatchObject({ status: 404, body: '{"status":"not-found"}' });
    const collect = () => {
      throw new Error('the reason');
    };
    new Gauge({ name: 'broken', help: 'Fails', registers: [registry], collect });
    expect(await get(port, '/metrics')).toMatchObject({ status: 500, body: '{"status":"error"}' });
    expect(lines.filter((line) => line.includes('admin request failed') && line.includes('the reason'))).toHaveLength(
      1,
    );
  });

  it('rejects where it cannot listen', async () => {
    const { port } = await start();
    const first = admin;
    await expect(start({ port })).rejects.toThrow(/EADDRINUSE/);
    admin = first;
  });

  it('closes at once, whoever is still connected', async () => {
    const { port } = await start();
    const silent = connect({ port, host: '127.0.0.1' });
    const half = connect({ port, host: '127.0.0.1' });
    for (const socket of [silent, half]) socket.on('error', () => {});
    await Promise.all([once(silent, 'connect'), once(half, 'connect')]);
    half.write('GET /healthz HTTP/1.1\r\n');
    const gone = Promise.all([silent, half].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    await admin.close();
    await gone;
    admin = { listen: async () => 0, close: async () => {} };
  });
});

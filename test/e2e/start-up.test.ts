import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { plan, planStreams } from '../helpers/load.js';
import { createPlatform } from '../helpers/load-platform.js';
import { notDone, ranAgain } from '../helpers/load-record.js';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, SECRET, type Services } from '../helpers/service.js';
import { get } from '../helpers/service-http.js';
import { until } from '../helpers/until.js';
import { startOldRedis } from './old-redis.js';

let redis: TestRedis;
let services: Services;
let HANDLERS: string;

beforeAll(async () => {
  redis = await startTestRedis();
  services = await createServices({
    REDIS_URL: redis.url,
    QUEUE_PREFIX: uniquePrefix(),
    REORDER_WINDOW_MS: '200',
    REORDER_MISSING_START_MS: '500',
  });
  HANDLERS = await services.handlers('catalogue.mjs');
});

afterAll(async () => {
  await services?.close();
  await redis?.stop();
});

/** Starts a service that is to refuse; gives what it said. */
async function refusal(env: Record<string, string>): Promise<string> {
  const service = services.launch({ PORT: '0', ADMIN_PORT: '0', HANDLERS, ...env });
  expect(await service.ended).toEqual({ code: 1, signal: null });
  // What is wrong stands on standard error alone, for whoever started it.
  expect(service.lines.filter(({ level }) => level >= 40)).toEqual([]);
  expect(service.err()).not.toMatch(/^\s+at /m);
  return service.err();
}

async function handlerFile(name: string, content: string): Promise<string> {
  const folder = join(services.dir, `files-${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), content);
  return folder;
}

describe('a start that cannot succeed says why, in one line, and exits 1', () => {
  it('where Redis evicts', async () => {
    const evicting = await startTestRedis({ settings: { 'maxmemory-policy': 'allkeys-lru' } });
    try {
      expect(await refusal({ REDIS_URL: evicting.url })).toMatch(
        /^sluice: Redis evicts keys [^\n]*expected maxmemory-policy noeviction, received allkeys-lru\. [^\n]*\n$/,
      );
    } finally {
      await evicting.stop();
    }
  });

  it('where Redis is too old', async () => {
    const old = await startOldRedis('5.0.14');
    try {
      expect(await refusal({ REDIS_URL: old.url })).toMatch(
        /^sluice: Redis 5\.0\.14 is too old: expected Redis 6\.2 [^\n]*\n$/,
      );
    } finally {
      old.close();
    }
  });

  it('where there is no Redis on the machine, and none was named', async () => {
    expect(await refusal({ REDIS_URL: '', PATH: services.dir })).toMatch(
      /^sluice: neither redis-server nor valkey-server is on the PATH: install one \([^\n]*\), or set REDIS_URL [^\n]*\n$/,
    );
  });

  it('where a port is in use: the public one, the admin one', async () => {
    const taken = createTcpServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    try {
      const said = await Promise.all([refusal({ PORT: port, HOST: '127.0.0.1' }), refusal({ ADMIN_PORT: port })]);
      for (const [at, text] of said.entries()) {
        expect(text).toMatch(/^sluice: [^\n]*\n$/);
        expect(text).toContain(
          at === 0
            ? `PORT: expected a free port, received ${port}`
            : `ADMIN_PORT: expected a free port, received ${port}`,
        );
      }
    } finally {
      taken.close();
    }
  });

  it('where the configuration is wrong: all of it at once, and no secret', async () => {
    const said = await refusal({
      PORT: 'abc',
      ROLE: 'boss',
      APPLICATION_SECRET: '',
      ADMIN_HOST: '0.0.0.0',
      FORWARD_URL: 'ftp://user:hidden-password@example.com',
      REDIS_URL: 'http://user:hidden-password@example.com',
    });
    expect(said).toMatch(/^sluice: the configuration has 6 problems:\n/);
    for (const name of ['PORT', 'ROLE', 'APPLICATION_SECRET', 'ADMIN_TOKEN', 'FORWARD_URL', 'REDIS_URL']) {
      expect(said).toMatch(new RegExp(`^ {2}${name}: expected [^\\n]*, received [^\\n]*\\.`, 'm'));
    }
    expect(said).not.toContain('hidden-password');
  });

  it.each([
    [
      'does not parse',
      'broken.mjs',
      'export default {',
      /broken\.mjs: expected `export default defineHandler\(\{ … \}\)`; it threw SyntaxError: /,
    ],
    ['throws', 'throwing.mjs', "throw new Error('no database');", /throwing\.mjs: [^\n]*it threw Error: no database/],
    ['imports what is not there', 'importing.mjs', "import 'not-there';", /importing\.mjs: [^\n]*not-there/],
    ['exports nothing', 'empty.mjs', '', /empty\.mjs: [^\n]*received no default export/],
    ['is TypeScript that does not parse', 'broken.ts', 'export default {', /broken\.ts: [^\n]*it threw /],
  ])('where a handler file %s: the file and the cause', async (_what, name, content, said) => {
    const text = await refusal({ HANDLERS: await handlerFile(name, content) });
    expect(text).toMatch(/^sluice: cannot load the handlers: /);
    expect(text).toMatch(said);
  });

  it('where a handler file is missing, and where two handlers have one name', async () => {
    const twice = `${HANDLERS},${await services.handlers('catalogue.mjs')}`;
    const [missing, double] = await Promise.all([refusal({ HANDLERS: './nowhere.mjs' }), refusal({ HANDLERS: twice })]);
    expect(missing).toMatch(/^sluice: cannot load the handlers: [^\n]*nowhere\.mjs: [^\n]*\n$/);
    expect(double).toMatch(
      /^sluice: cannot load the handlers: [^\n]*expected another name than 'catalogue': [^\n]*\n$/,
    );
  });
});

describe('a start that finds something to warn of', () => {
  it('says that Redis runs without an append-only file, and goes on', async () => {
    const forgetful = await startTestRedis({ settings: { appendonly: 'no' } });
    try {
      const service = await services.start({ REDIS_URL: forgetful.url, HANDLERS });
      const warnings = service.lines.filter(({ level }) => level === 40);
      expect(warnings.map(({ msg }) => msg)).toEqual([
        expect.stringMatching(/append-only file: .* Set appendonly yes\./),
      ]);
      await service.end('SIGTERM');
    } finally {
      await forgetful.stop();
    }
  });

  it('says that there is no folder of handlers, and logs what arrives', async () => {
    const service = await services.start({ QUEUE_PREFIX: uniquePrefix(), TIMESTAMP_TOLERANCE: '60' });
    const warnings = service.lines.filter(({ level }) => level === 40);
    expect(warnings.map(({ msg }) => msg)).toEqual([
      'TIMESTAMP_TOLERANCE is not read: did you mean TIMESTAMP_TOLERANCE_S?',
      `HANDLERS: there is no folder ${join(services.dir, 'handlers')}; the built-in handler 'log' runs alone`,
    ]);
    const platform = createPlatform({ ports: () => [service.port] });
    await platform.send(plan({ stream: 'logged', data: { secretField: 'of the body' } }));
    await platform.close();
    const line = await service.line('notification: started');
    expect(line).toMatchObject({ handler: 'log', stream: 'logged', kind: 'started', attempt: 1 });
    expect(service.out()).not.toContain('of the body');
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('a Redis that is unfit and comes later', () => {
  it('ends the service, with the reason in its log', async () => {
    const unfit = await startTestRedis({ settings: { 'maxmemory-policy': 'volatile-lru' } });
    try {
      await unfit.kill9();
      const service = services.launch({ PORT: '0', ADMIN_PORT: '0', HANDLERS, REDIS_URL: unfit.url });
      await service.line('sluice is running');
      await unfit.restart();
      expect(await service.ended).toEqual({ code: 1, signal: null });
      const fatal = service.lines.filter(({ level }) => level === 60);
      expect(fatal.map(({ msg }) => msg)).toEqual([
        expect.stringMatching(/^Redis evicts keys .* received volatile-lru\./),
      ]);
      expect(service.err()).toBe('sluice: the service could not go on: see the log\n');
    } finally {
      await unfit.stop();
    }
  });
});

describe('a role', () => {
  it('receiver: HTTP only; worker: handlers only, without a secret', async () => {
    const QUEUE_PREFIX = uniquePrefix();
    const [receiver, worker] = await Promise.all([
      // It loads no handlers, so it does not mind broken ones.
      services.start({ QUEUE_PREFIX, ROLE: 'receiver', HANDLERS: './nowhere.mjs' }),
      services.start({ QUEUE_PREFIX, ROLE: 'worker', HANDLERS, APPLICATION_SECRET: '' }),
    ]);
    expect(worker.port).toBe(0);
    const platform = createPlatform({ ports: () => [receiver.port] });
    await platform.sendAll(planStreams({ name: 'roles', streams: 3, each: 4 }));
    await until('all is handled', () => notDone(platform.delivered.values(), services.runs()).length === 0);
    await platform.close();
    expect(
      new Set(
        services
          .runs()
          .filter(({ stream }) => stream.startsWith('roles'))
          .map(({ pid }) => pid),
      ),
    ).toEqual(new Set([worker.pid]));
    for (const { adminPort } of [receiver, worker]) {
      expect((await get(adminPort, '/readyz')).status).toBe(200);
    }
    expect(await Promise.all([receiver, worker].map((one) => one.end('SIGTERM')))).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
  });
});

describe('the built-in handler forward', () => {
  it('sends each notification on, signed, beside the other handlers', async () => {
    const secret = `whsec_${Buffer.from('a key of twenty-four bytes').toString('base64')}`;
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const target = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      // The first is turned away once.
      response.writeHead(received.length === 0 ? 500 : 204).end();
      received.push({ headers: request.headers, body });
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    try {
      const envFile = join(services.dir, 'forward.env');
      const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook?token=in-the-url`;
      await writeFile(envFile, `FORWARD_URL=${url}\nFORWARD_SECRET_FILE=${join(services.dir, 'secret')}\nPORT=1\n`);
      await writeFile(join(services.dir, 'secret'), `${secret}\n`);
      const env = { PORT: '0', ADMIN_PORT: '0', QUEUE_PREFIX: uniquePrefix(), HANDLERS, HANDLER_BACKOFF_MS: '10' };
      const service = services.launch(env, ['--env-file', envFile]);
      const { port } = await service.line('sluice is running');
      const platform = createPlatform({ ports: () => [Number(port)] });
      const planned = planStreams({ name: 'forwarded', streams: 1, each: 4 });
      await platform.sendAll(planned);
      await until('all is forwarded', () => received.length === 5);
      await platform.close();

      const verified = received.map(({ headers, body }) =>
        new Webhook(secret).verify(body, headers as Record<string, string>),
      ) as { data: { n: number } }[];
      expect(verified.map(({ data }) => data.n)).toEqual([0, 0, 1, 2, 3]);
      expect(received.slice(1).map(({ body }) => JSON.parse(body))).toEqual(
        planned.map((one) => JSON.parse(one.body(0))),
      );
      const ids = [...platform.delivered.values()].flatMap(({ ids }) => [...ids]);
      expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
      expect(ranAgain(services.runs().filter(({ stream }) => stream.startsWith('forwarded')))).toEqual([]);
      expect(service.out()).not.toMatch(/in-the-url|whsec_/);
      expect(service.out()).not.toContain(SECRET);
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    } finally {
      target.closeAllConnections();
      target.close();
    }
  });
});

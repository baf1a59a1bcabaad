import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { failedCommand } from '../../src/commands/failed.js';
import { PermanentError } from '../../src/handlers/errors.js';
import { notification, verifiedBody } from '../helpers/notifications.js';
import { createPipeline, recorder, type TestPipeline } from '../helpers/pipeline.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { type CommandRun, runCommand } from './run-command.js';

let server: TestRedis;
let pipeline: TestPipeline;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  pipeline = createPipeline(server, { reorderWindowMs: 10, reorderMissingStartMs: 10 });
  env = { REDIS_URL: server.url, QUEUE_PREFIX: pipeline.prefix };
  await until('the connections are ready', () => pipeline.producer.status === 'ready');
});
afterEach(() => pipeline.close());

const failed = (...words: string[]): Promise<CommandRun> => runCommand(failedCommand, ['failed', ...words], env);
const json = async (...words: string[]) =>
  JSON.parse((await failed(...words, '--json')).out) as Record<string, unknown>[];

/** Deliveries that fail: `catalogue` goes on, `billing` parks its stream. Gives the ids by stream. */
async function failSome(mended: () => boolean = () => false): Promise<Map<string, string>> {
  const act = () => {
    if (!mended()) throw new PermanentError('the catalogue\nis closed');
  };
  const catalogue = recorder('catalogue', { on: ['started'] }, act);
  const billing = recorder('billing', { on: ['ended'], onExhausted: 'park' }, act);
  await pipeline.startWorker([catalogue.handler, billing.handler]);
  const ids = new Map<string, string>();
  const accept = async (what: string, stream: string) => {
    ids.set(stream, (await pipeline.accept(notification({ what, stream, at: 1_790_000_000_000 }))).id);
    await until(`${stream} has failed`, async () => (await pipeline.failed.list({ stream })).length === 1);
  };
  await accept('started', 'stream-1');
  await accept('started', 'stream-2');
  await accept('ended', 'stream-3');
  return ids;
}

describe('failed list', () => {
  it('shows a table, the newest first, each delivery in one line', async () => {
    const ids = await failSome();
    const { code, out, err } = await failed('list');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(['FAILED AT', 'HANDLER', 'KIND', 'STREAM', 'ATTEMPTS', 'STATE', 'REASON', 'ID']);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const reason = 'the catalogue is closed';
    expect(rows.slice(1)).toEqual([
      [time, 'billing', 'ended', 'stream-3', '1', 'parked', reason, ids.get('stream-3')],
      [time, 'catalogue', 'started', 'stream-2', '1', 'failed', reason, ids.get('stream-2')],
      [time, 'catalogue', 'started', 'stream-1', '1', 'failed', reason, ids.get('stream-1')],
    ]);
    const cut = (await failed('list', '--limit', '1')).out.split('\n');
    expect(cut.slice(2)).toEqual(['… and 2 more (--limit)']);
  });

  it('prints JSON, narrowed by handler, kind, stream, time and id', async () => {
    const ids = await failSome();
    const streams = async (...words: string[]) => (await json('list', ...words)).map(({ stream }) => stream);
    expect(await json('list', '--stream', 'stream-3')).toEqual([
      {
        id: ids.get('stream-3'),
        handler: 'billing',
        state: 'parked',
        kind: 'ended',
        stream: 'stream-3',
        timestamp: '2026-09-21T14:13:20.000Z',
        receivedAt: expect.stringMatching(/Z$/),
        failedAt: expect.stringMatching(/Z$/),
        attempts: 1,
        reason: 'the catalogue\nis closed',
      },
    ]);
    expect(await streams()).toEqual(['stream-3', 'stream-2', 'stream-1']);
    expect(await streams('--handler', 'catalogue')).toEqual(['stream-2', 'stream-1']);
    expect(await streams('--kind', 'ended')).toEqual(['stream-3']);
    expect(await streams('--since', '2h')).toEqual(['stream-3', 'stream-2', 'stream-1']);
    expect(await streams('--until', '2h')).toEqual([]);
    expect(await streams('--since', '2999-01-01T00:00Z')).toEqual([]);
    expect(await streams('--until', '2999-01-01T00:00Z')).toEqual(['stream-3', 'stream-2', 'stream-1']);
    expect(await streams(ids.get('stream-1') as string, 'unknown')).toEqual(['stream-1']);
    expect(await streams('--handler', 'nobody')).toEqual([]);
    expect(await failed('list', '--handler', 'nobody')).toEqual({
      code: 0,
      err: '',
      out: 'No failed delivery matches.',
    });
  });
});

describe('failed show', () => {
  it('shows attempts, reason and body; of what was no notification its bytes', async () => {
    const ids = await failSome();
    const { out } = await failed('show', ids.get('stream-2') as string);
    expect(out).toMatch(/^handler +catalogue$/m);
    expect(out).toMatch(/^reason +the catalogue is closed$/m);
    expect(out).toMatch(/^ {2}\S+Z {2}1 {2}error {2}\d+ ms {2}the catalogue/m);
    expect(out).toContain(JSON.stringify(notification({ stream: 'stream-2', at: 1_790_000_000_000 })));

    const body = verifiedBody('{"what":1}');
    const invalid = await pipeline.intake.keepInvalid({
      body,
      problem: 'what: expected a string',
      receivedAt: Date.now(),
    });
    await until('it is listed', async () => (await pipeline.failed.show(invalid.id)).length === 1);
    const [detail] = await json('show', invalid.id);
    expect(detail).toMatchObject({ id: invalid.id, state: 'failed', body: body.toString('base64') });
    expect(detail).not.toHaveProperty('handler');
    const row = (await failed('list', invalid.id)).out.split('\n')[1]?.split(/ {2,}/);
    expect(row).toEqual([
      expect.any(String),
      '-',
      '-',
      '-',
      '1',
      'failed',
      'what: expected a non-empty string',
      invalid.id,
    ]);
  });

  it('fails where nothing has', async () => {
    expect(await failed('show', 'unknown')).toEqual({
      code: 1,
      out: '',
      err: 'sluice: no delivery of unknown has failed',
    });
  });
});

describe('failed replay', () => {
  it('counts first, and replays what the filter lets through', async () => {
    let mended = false;
    await failSome(() => mended);
    mended = true;
    expect(await failed('replay', '--stream', 'stream-1')).toEqual({
      code: 0,
      err: '',
      out: '1 failed delivery matches\n1 replayed',
    });
    await until('it is done', async () => (await pipeline.failed.count()) === 2);
    const all = await failed('replay', '--json');
    expect(JSON.parse(all.out)).toEqual({ replayed: 2, already: 0, lost: 0 });
    await until('all are done', async () => (await pipeline.failed.count()) === 0);
    expect(await failed('replay')).toEqual({ code: 0, err: '', out: '0 failed deliveries match' });
  });

  it('exits 1 where a notification is no longer in Redis', async () => {
    const ids = await failSome();
    await pipeline.redis.del(pipeline.keys.notification(ids.get('stream-1') as string));
    expect(await failed('replay', '--stream', 'stream-1', ids.get('stream-1') as string)).toEqual({
      code: 1,
      out: '1 failed delivery matches\n0 replayed',
      err: 'sluice: 1 could not be: their notifications are no longer in Redis',
    });
  });
});

describe('failed discard', () => {
  it('counts first, and gives up what the filter lets through', async () => {
    await failSome();
    expect(await failed('discard', '--handler', 'catalogue')).toEqual({
      code: 0,
      err: '',
      out: '2 failed deliveries match\n2 discarded',
    });
    expect((await json('list')).map(({ handler }) => handler)).toEqual(['billing']);
    expect(JSON.parse((await failed('discard', '--json')).out)).toEqual({ discarded: 1 });
    expect(await json('list')).toEqual([]);
  });
});

describe('what a command of these cannot take', () => {
  it.each([
    'list --limit 0',
    'list --limit x',
    'list --since soon',
    'list --since 5',
    'list --until 2026-13-45',
    'list --nonsense',
    'show',
    'show one two',
    'nonsense',
  ])('(%s) exits 2 with one line, whether Redis is there or not', async (words) => {
    env = { REDIS_URL: 'redis://127.0.0.1:1' };
    const { code, out, err } = await failed(...words.split(' '));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^sluice: [^\n]+$/);
  });

  it('is told by the help, with an example', async () => {
    for (const command of ['list', 'show', 'replay', 'discard']) {
      const { code, out } = await failed(command, '--help');
      expect(code).toBe(0);
      expect(out).toContain(`Example:\n  sluice failed ${command}`);
    }
  });
});

describe('a Redis that cannot be used', () => {
  it.each([
    ['nobody is there', 'redis://127.0.0.1:1', /ECONNREFUSED/],
    ['the password is missing', undefined, /NOAUTH/],
    ['the password is wrong', ':hidden-password@', /WRONGPASS/],
  ])('because %s: exits 1 with one line that says so', async (_why, url, reason) => {
    const guarded = await startTestRedis({ settings: { requirepass: 'secret' } });
    try {
      const { port } = guarded.options;
      env = { REDIS_URL: url?.startsWith('redis') ? url : `redis://${url ?? ''}127.0.0.1:${port}` };
      const { code, out, err } = await failed('list');
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^sluice: Redis cannot be used: [^\n]*\. REDIS_URL says where it is\.$/);
      expect(err).toMatch(reason);
      expect(err).not.toContain('hidden-password');
    } finally {
      await guarded.stop();
    }
  });

  it('shows the stack with LOG_LEVEL=debug alone', async () => {
    env = { REDIS_URL: 'http://example.com', LOG_LEVEL: 'error' };
    expect((await failed('list')).err).toMatch(
      /^sluice: the configuration has a problem:\n {2}REDIS_URL: expected [^\n]*$/,
    );
    env.LOG_LEVEL = 'debug';
    expect((await failed('list')).err).toMatch(/\n +at /);
  });
});

import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { identify } from '../../src/pipeline/identity.js';
import { KNOWN_KINDS, notificationSchema } from '../../src/protocol/notification.js';
import { type CheckedRequest, type ReceiverOptions, startCheckingReceiver } from './checking-receiver.js';
import { createFolder, SECRET, sluice } from './signing-program.js';

type Receiver = Awaited<ReturnType<typeof startCheckingReceiver>>;

describe('sluice send', () => {
  const receivers: Receiver[] = [];
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });
  async function receiver(options: ReceiverOptions = {}): Promise<Receiver> {
    const started = await startCheckingReceiver(options);
    receivers.push(started);
    return started;
  }
  /** Sends to a receiver of its own, and gives what that received. */
  async function send(
    words: string[],
    options: ReceiverOptions & { path?: string; env?: Record<string, string> } = {},
  ) {
    const { url, requests } = await receiver(options);
    const run = await sluice(['send', ...words, '--to', `${url}${options.path ?? '/callback'}`], {
      env: options.env ?? {},
    });
    return { ...run, requests, first: requests[0] as CheckedRequest };
  }

  it.each(KNOWN_KINDS)("sends a notification '%s' as the contract has it, signed", async (kind) => {
    const { code, out, first } = await send([kind]);
    expect(code).toBe(0);
    expect(out).toMatch(/^200 {2} +\d+\.\d ms {2}ok {2}id-1 {2}us-east#1\.[0-9a-f]{8}$/);
    expect(first).toMatchObject({ method: 'POST', target: '/callback', authentic: true });
    expect(first.headers['content-type']).toBe('application/json');
    expect(notificationSchema.parse(first.message)).toMatchObject({ what: kind, entity: 'stream', apiVersion: 0 });
    expect(Math.abs(Date.parse(first.message.timestamp) - Date.now())).toBeLessThan(10_000);
  });

  it('sends a kind that nobody knows', async () => {
    const { first } = await send(['viewer-count', '--data', '{"viewers":7}', '--stream', 's']);
    expect(first).toMatchObject({
      authentic: true,
      message: { what: 'viewer-count', data: { streamId: 's', viewers: 7 } },
    });
    expect(first.message.data).not.toHaveProperty('tags');
  });

  it.each(['GET', 'POST', 'PUT'])('sends the body with %s, and signs path and query as they are', async (method) => {
    const { code, first } = await send(['live', '--method', method], { path: '/c?a=%2Fb%20c&b=&flag' });
    expect(code).toBe(0);
    expect(first).toMatchObject({
      method,
      target: '/c?a=%2Fb%20c&b=&flag',
      authentic: true,
      message: { what: 'live' },
    });
  });

  it('says what the flags say', async () => {
    const words = [
      '--stream',
      's#1',
      '--session',
      'client-7',
      '--tags',
      'a, b',
      '--timestamp',
      '2026-01-31T13:00:00.5+01:00',
    ];
    const { first } = await send(['ended', ...words, '--data', '{"duration":5,"reason":"é","more":{}}']);
    expect(first.message).toEqual({
      apiVersion: 0,
      entity: 'stream',
      what: 'ended',
      data: { streamId: 's#1', tags: ['a', 'b'], duration: 5, reason: 'é', more: {} },
      sessionId: 'client-7',
      timestamp: '2026-01-31T12:00:00.500Z',
    });
    expect(first.authentic).toBe(true);
  });

  it('takes the timestamp of the message in milliseconds, and signs now', async () => {
    const { first } = await send(['started', '--timestamp', '1790000000123']);
    expect(first.message.timestamp).toBe('2026-09-21T14:13:20.123Z');
    expect(Math.abs(Number(first.headers['x-svc-timestamp']) - Date.now() / 1000)).toBeLessThan(10);
  });

  it.each([
    ['1790000000', '1790000000'],
    ['1790000000123', '1790000000123'],
    ['2026-09-21T14:13:20Z', '1790000000'],
  ])('signs at %s where it is told to', async (signedAt, header) => {
    const { first } = await send(['started', '--signed-at', signedAt]);
    expect(first).toMatchObject({ authentic: true, headers: { 'x-svc-timestamp': header } });
  });

  it('signs with the secret and for the brand that it is told, or that the environment has', async () => {
    const other = { secret: 'other', brand: 'Acme' };
    expect((await send(['live', '--secret', 'other', '--brand', 'Acme'], other)).code).toBe(0);
    const env = { APPLICATION_SECRET: 'other,older', HEADER_BRAND: 'Acme' };
    expect((await send(['live'], { ...other, env })).code).toBe(0);
  });

  it('signs the path that a proxy would strip', async () => {
    const { code, first } = await send(['live', '--public-base-path', '/a'], { basePath: '/a' });
    expect({ code, target: first.target }).toEqual({ code: 0, target: '/callback' });
  });

  it('reads a file of variables', async () => {
    const folder = await createFolder();
    const file = await folder.write('.env', 'HEADER_BRAND=Acme\n');
    expect((await send(['live', '--env-file', file], { brand: 'Acme' })).code).toBe(0);
    await folder.remove();
  });

  describe('several', () => {
    const facts = (requests: CheckedRequest[]) =>
      new Set(requests.map(({ message }) => identify(message as never, Buffer.alloc(0))));

    it('have a stream each', async () => {
      const { code, out, requests } = await send(['started', '--count', '5', '--data', '{"tags":[]}']);
      expect({ code, count: requests.length, facts: facts(requests).size }).toEqual({ code: 0, count: 5, facts: 5 });
      expect(new Set(requests.map(({ message }) => message.data.streamId)).size).toBe(5);
      expect(requests.every(({ authentic }) => authentic)).toBe(true);
      const [summary, percentiles] = out.split('\n').slice(-2);
      expect(out.split('\n')).toHaveLength(7);
      expect(summary).toMatch(/^5 sent, 5 answered 2XX, in [\d.]+ s \([\d.]+\/s\)$/);
      expect(percentiles).toMatch(/^ms: min [\d.]+ {2}p50 [\d.]+ {2}p90 [\d.]+ {2}p99 [\d.]+ {2}max [\d.]+$/);
    });

    it.each([...KNOWN_KINDS, 'unknown'])(
      "of one stream are different facts with increasing timestamps: '%s'",
      async (kind) => {
        const { requests } = await send([kind, '--count', '4', '--stream', 's', '--data', '{"uri":"u","sequence":9}']);
        const times = requests.map(({ message }) => Date.parse(message.timestamp));
        expect(times).toEqual([0, 1, 2, 3].map((ms) => (times[0] ?? 0) + ms));
        expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
        expect(facts(requests).size).toBe(4);
        expect(requests.map(({ message }) => message.data.sequence)).toEqual([1, 2, 3, 4]);
      },
    );

    it('of the stream of --data are of one stream, from --timestamp on', async () => {
      const words = ['--count', '2', '--data', '{"streamId":"s"}', '--timestamp', '1790000000000'];
      const { requests } = await send(['live', ...words]);
      expect(requests.map(({ message }) => [message.data.streamId, Date.parse(message.timestamp)])).toEqual([
        ['s', 1_790_000_000_000],
        ['s', 1_790_000_000_001],
      ]);
    });

    it('are sent one after the other, or so many at a time', async () => {
      const count = ['live', '--count', '20'];
      const alone = await receiver();
      await sluice(['send', ...count, '--to', alone.url]);
      expect(alone.most()).toBe(1);
      const together = await receiver({ together: 4 });
      expect((await sluice(['send', ...count, '--to', together.url, '--concurrency', '4'])).code).toBe(0);
      expect(together.requests).toHaveLength(20);
      expect(together.most()).toBe(4);
    });
  });

  describe('what was answered', () => {
    it('says of a repeat that it was seen before', async () => {
      const { out } = await send(['live'], {
        reply: () => ({ http: 200, body: '{"status":"ok","id":"first","duplicate":true}' }),
      });
      expect(out).toMatch(/ok {2}first {2}\(seen before\)/);
    });

    it.each<[number, string, string]>([
      [401, '{"status":"unauthorized"}', 'unauthorized'],
      [400, '{"status":"invalid-notification","message":"data: expected an object"}', 'data: expected an object'],
      [503, '{"status":"capacity"}', 'capacity'],
      [302, '', '302'],
      [502, '<html>', '502'],
      [500, '[null]', '500'],
      [500, `${' '.repeat(200_000)}{"status":"late"}`, '500'],
    ])('fails on %s', async (http, body, words) => {
      const { code, out, err } = await send(['live'], { reply: () => ({ http, body }) });
      expect({ code, out }).toEqual({
        code: 1,
        out: expect.stringMatching(new RegExp(`^${http} .*${words}|^${http}`)),
      });
      expect(out).toContain(words);
      expect(err).toContain(`sluice: 1 of 1 not answered 2XX (${http}: 1)`);
      expect(err.includes('secret, brand, path or clock')).toBe(http === 401);
    });

    it('fails where one of several was not answered 2XX', async () => {
      const { code, out, err } = await send(['live', '--count', '3'], {
        reply: (_request, index) => ({ http: index === 1 ? 503 : 200, body: '{}' }),
      });
      expect({ code, err }).toEqual({ code: 1, err: 'sluice: 1 of 3 not answered 2XX (200: 2, 503: 1)' });
      expect(out).toContain('3 sent, 2 answered 2XX');
    });

    it('prints nothing that a terminal would obey', async () => {
      const { out } = await send(['live'], {
        reply: () => ({ http: 200, body: JSON.stringify({ status: '\x1b[2J', id: '\x9b0m', message: 'a\nb' }) }),
      });
      expect(out).toMatch(/^[\x20-\x7e]+$/);
    });

    it('is JSON where it is asked for', async () => {
      const { code, out } = await send(['live', '--json', '--count', '2'], {
        reply: (_request, index) =>
          index === 0 ? { http: 200, body: '{"status":"ok","id":"a"}' } : { http: 500, body: '' },
      });
      expect(code).toBe(1);
      expect(JSON.parse(out)).toEqual({
        requests: [
          {
            number: 1,
            streamId: expect.any(String),
            http: 200,
            answer: { status: 'ok', id: 'a' },
            ms: expect.any(Number),
          },
          { number: 2, streamId: expect.any(String), http: 500, answer: {}, ms: expect.any(Number) },
        ],
        summary: {
          sent: 2,
          ok: 1,
          outcomes: { 200: 1, 500: 1 },
          durationMs: expect.any(Number),
          perSecond: expect.any(Number),
          latencyMs: expect.objectContaining({ p50: expect.any(Number), p99: expect.any(Number) }),
        },
      });
    });
  });

  describe('where nobody answers', () => {
    it.each(['1', '50'])('says in one line that nobody is there, for %s', async (count) => {
      const { url, close } = await startCheckingReceiver();
      await close();
      const to = `${url}/callback?token=hidden`;
      const run = await sluice(['send', 'live', '--to', to, '--count', count, '--concurrency', '4']);
      expect(run).toEqual({
        code: 1,
        out: '',
        err: `sluice: cannot reach ${url}/callback (ECONNREFUSED): is the service running there?`,
      });
    });

    it('gives up after the time-out', async () => {
      const { code, out, err } = await send(['live', '--timeout', '50ms'], { reply: () => undefined });
      expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^--- .* no answer within 50 ms/) });
      expect(err).toBe('sluice: 1 of 1 not answered 2XX (no answer within 50 ms: 1)');
    });

    it('says that the connection broke, and goes on with the others', async () => {
      let connections = 0;
      const server = createTcpServer((socket) => {
        if (++connections === 1) return socket.destroy();
        return socket.once('data', () =>
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const { code, err } = await sluice(['send', 'live', '--count', '3', '--to', `http://127.0.0.1:${port}/`]);
      await new Promise((resolve) => server.close(resolve));
      expect(code).toBe(1);
      expect(err).toMatch(/^sluice: 1 of 3 not answered 2XX \((200: 2, )?[A-Z_]+: 1(, 200: 2)?\)$/);
    });
  });

  it.each<[string, string[], string]>([
    ['no address', ['live'], "required option '--to <url>'"],
    ['no kind', ['--to', 'http://localhost'], "missing required argument 'kind'"],
    ['an address that is not HTTP', ['live', '--to', 'localhost:3000'], 'http:// or https://'],
    ['an address with credentials', ['live', '--to', 'http://a:b@localhost'], 'without credentials'],
    ['data that is no JSON', ['live', '--to', 'http://localhost', '--data', '{'], 'Expected a JSON object'],
    ['data that is no object', ['live', '--to', 'http://localhost', '--data', '[]'], 'Expected a JSON object'],
    ['a timestamp in seconds', ['live', '--to', 'http://localhost', '--timestamp', '1790000000'], 'milliseconds'],
    ['a timestamp without a zone', ['live', '--to', 'http://localhost', '--timestamp', '2026-01-31T12:00:00'], 'zone'],
    ['a signature at no time', ['live', '--to', 'http://localhost', '--signed-at', 'now'], 'UNIX time'],
    ['a count of none', ['live', '--to', 'http://localhost', '--count', '0'], 'from 1 to 1000000'],
    ['a time-out without a unit', ['live', '--to', 'http://localhost', '--timeout', '10'], 'with its unit'],
    ['an empty stream', ['live', '--to', 'http://localhost', '--stream', ''], 'not empty'],
    ['tags of a kind that has none', ['live', '--to', 'http://localhost', '--tags', 'a'], "'live' carries none"],
  ])('refuses %s', async (_what, words, message) => {
    expect(await sluice(['send', ...words])).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it('prints no secret', async () => {
    for (const words of [['live'], ['live', '--json'], ['live', '--secret', `${SECRET}-2`]]) {
      const { out, err } = await send(words);
      expect(out + err).not.toContain(SECRET);
    }
  });

  it('has help with an example', async () => {
    const { code, out } = await sluice(['send', '--help']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('sluice send started --to') });
  });
});

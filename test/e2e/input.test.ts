import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groupBy } from '../helpers/load.js';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, type RunningService, SECRET, type Services } from '../helpers/service.js';
import { get, readMetrics } from '../helpers/service-http.js';
import { until } from '../helpers/until.js';
import { signIndependently, toWire, type WireRequest } from '../protocol/independent-signature.js';
import { SIGNATURE_VECTORS, type SignatureVector } from '../protocol/signature-vectors.js';
import { exchange, openConnection, type RawResponse } from '../receiver/raw-connection.js';

/** In every body, query and foreign signature that is sent here: what must not be in the log. */
const MARK = 'marked-as-private';
const TOKEN = 'admin-token-of-this-test';

let redis: TestRedis;
let services: Services;
let service: RunningService;

beforeAll(async () => {
  redis = await startTestRedis();
  services = await createServices({ REDIS_URL: redis.url, LOG_LEVEL: 'trace', SHUTDOWN_TIMEOUT_MS: '2000' });
  service = await services.start({
    QUEUE_PREFIX: uniquePrefix(),
    HANDLERS: await services.handlers('catalogue.mjs'),
    REORDER_WINDOW_MS: '50',
    REORDER_MISSING_START_MS: '100',
    BODY_LIMIT: '64kb',
    ADMIN_TOKEN: TOKEN,
    HANDLER_ATTEMPTS: '1',
  });
});

afterAll(async () => {
  await services?.close();
  await redis?.stop();
});

const sent: WireRequest[] = [];

function signed(body: string | Buffer, more: Partial<Parameters<typeof signIndependently>[0]> = {}): WireRequest {
  const request = signIndependently({ secret: SECRET, target: `/callback?q=${MARK}`, body, ...more });
  sent.push(request);
  return request;
}

const send = (request: WireRequest, to = service) => exchange(to.port, toWire(request));
const message = (fields: object) => JSON.stringify({ apiVersion: 0, entity: 'stream', sessionId: MARK, ...fields });
const started = (streamId: string, more: object = {}) =>
  message({
    what: 'started',
    data: { streamId, tags: ['a', 'b'], note: MARK },
    timestamp: '2026-09-21T14:13:20.000Z',
    ...more,
  });

/** The lines that tell of requests, from the nth on. */
const requestLines = (from = 0) =>
  service.lines.slice(from).filter(({ msg }) => msg === 'request' || /not kept/.test(msg));
const metrics = () => readMetrics(service.adminPort, { authorization: `Bearer ${TOKEN}` });

/** What a request is answered, and the line that tells of it. */
async function sendAndReadLine(request: WireRequest | string | Buffer): Promise<{ answer: RawResponse; line: object }> {
  const from = service.lines.length;
  const answer = await exchange(
    service.port,
    typeof request === 'string' || Buffer.isBuffer(request) ? request : toWire(request),
  );
  const line = await until('its line', () => requestLines(from)[0]);
  return { answer, line };
}

describe('a notification', () => {
  it('is answered with its id; a repeat with the same, by whatever method, with other tags and time', async () => {
    const first = await send(signed(started('repeated')));
    expect(first.status).toBe(200);
    const { id, ...rest } = JSON.parse(first.body);
    expect({ id, rest }).toEqual({ id: expect.stringMatching(/^[\da-f-]{36}$/), rest: { status: 'ok' } });
    const reordered = started('repeated', {
      data: { note: MARK, tags: ['b', 'a'], streamId: 'repeated' },
      timestamp: '2026-09-21T14:14:00.000Z',
    });
    for (const method of ['GET', 'PUT', 'POST']) {
      const repeat = await send(signed(reordered, { method }));
      expect({ status: repeat.status, ...JSON.parse(repeat.body) }).toEqual({ status: 'ok', id, duplicate: true });
    }
    await until('it is handled', () => services.runs().some((run) => run.id === id));
    expect(services.runs().filter((run) => run.id === id).length).toBe(1);
  });

  const strange: [string, object][] = [
    ['a stream with every separator', { what: 'started', data: { streamId: 'a:b|c,{d} e\n*\u0000"\'', tags: [] } }],
    ['a stream of 5 kB', { what: 'started', data: { streamId: 's'.repeat(5000), tags: [] } }],
    ['a stream beyond ASCII', { what: 'started', data: { streamId: 'стрим-😀', tags: [] } }],
    ['a kind with every separator', { what: 'a:b|c,d*', data: { streamId: 'separators' } }],
    ['a kind that is every kind', { what: '*', data: { streamId: 'every' } }],
    ['a kind that every object has', { what: '__proto__', data: { streamId: 'constructor' } }],
    ['a kind of 5 kB', { what: 'w'.repeat(5000), data: { streamId: 'long' } }],
    ['no data', { what: 'heartbeat', timestamp: '2026-09-21T14:13:20.000Z' }],
    ['data that is no object', { what: 'heartbeat', data: null }],
    ['a stream that is no text', { what: 'heartbeat', data: { streamId: 7 } }],
    ['a timestamp that is none', { what: 'started', data: { streamId: 'timeless', tags: 7 }, timestamp: 'yesterday' }],
    ['fields of another type', { what: 'ended', apiVersion: '0', data: { streamId: 'odd', duration: -1, reason: {} } }],
  ];

  it.each(strange)('with %s is accepted, and handled once', async (_what, fields) => {
    const answer = await send(signed(message({ note: MARK, ...fields })));
    expect(answer.status).toBe(200);
    const { id } = JSON.parse(answer.body) as { id: string };
    const run = await until('it is handled', () => services.runs().find((one) => one.id === id && one.outcome));
    expect(run.outcome).toBe('done');
    const { data } = fields as { data?: { streamId?: unknown } };
    expect(run.stream).toEqual(data?.streamId);
  });
});

describe('an authentic body that is no notification', () => {
  it.each([
    ['is empty', '', 'the body is empty'],
    ['is no JSON', `{"what": "${MARK}`, 'the body is not JSON'],
    ['is no UTF-8', Buffer.from(`"${MARK}\xff"`, 'latin1'), 'the body is not UTF-8'],
    ['is no object', `["${MARK}"]`, 'expected a JSON object'],
    ['has no kind', `{"note":"${MARK}"}`, 'what: expected a non-empty string'],
    [
      'is of a known kind, and names no stream',
      `{"what":"live","data":{"note":"${MARK}"}}`,
      'data.streamId: expected a non-empty string',
    ],
    ['is of a known kind, and has no data', `{"what":"ended","note":"${MARK}"}`, 'data: expected an object'],
  ])('because it %s: 400, a line in the log, and kept as failed', async (_why, body, problem) => {
    const { answer, line } = await sendAndReadLine(signed(body));
    expect({ http: answer.status, ...JSON.parse(answer.body) }).toEqual({
      http: 400,
      status: 'invalid-notification',
      message: expect.stringContaining(problem),
    });
    expect(line).toMatchObject({ level: 40, outcome: 'invalid', status: 400, method: 'POST', path: '/callback' });
    expect(line).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  it('is listed with the failed deliveries, once however often it comes, and can be replayed', async () => {
    await send(signed(''));
    const env = { QUEUE_PREFIX: service.env.QUEUE_PREFIX as string, LOG_LEVEL: 'info' };
    const listed = await until('all are listed', async () => {
      const { out } = await services.run(['failed', 'list', '--json'], env);
      const all = JSON.parse(out) as { id: string; handler?: string; reason: string }[];
      return all.length >= 7 && all;
    });
    expect(listed).toHaveLength(7);
    expect(listed.filter(({ handler }) => handler !== undefined)).toEqual([]);
    const empty = listed.find(({ reason }) => reason === 'the body is empty') as { id: string };
    const replay = await services.run(['failed', 'replay', empty.id], env);
    expect(replay).toMatchObject({ code: 0, out: '1 failed delivery matches\n1 replayed\n', err: '' });
    await until('it has failed again', async () => {
      const { out } = await services.run(['failed', 'show', empty.id, '--json'], env);
      return out !== '' && (JSON.parse(out) as { attempts: number }[])[0]?.attempts === 2;
    });
  });
});

describe('a request that is not authentic', () => {
  const body = () => started('forged');
  const without = (header: string): WireRequest => {
    const request = signed(body());
    delete request.headers[header];
    return request;
  };
  const changed = (headers: Record<string, string>): WireRequest => {
    const request = signed(body());
    return { ...request, headers: { ...request.headers, ...headers } };
  };
  const ago = (seconds: number) => String(Math.floor(Date.now() / 1000) - seconds);

  it.each<[string, string, () => WireRequest]>([
    ['has no signature', 'missing-header', () => without('Authorization')],
    ['has no digest', 'missing-header', () => without('X-Svc-Content-Sha256')],
    ['has no timestamp', 'missing-header', () => without('X-Svc-Timestamp')],
    ['has another scheme', 'scheme', () => changed({ Authorization: `Bearer ${MARK}` })],
    ['has a signature that is none', 'signature', () => changed({ Authorization: `HMAC-SHA256 ${MARK}` })],
    ['is signed with another secret', 'signature', () => signed(body(), { secret: MARK })],
    ['is signed for another path', 'signature', () => ({ ...signed(body()), target: '/callback' })],
    ['is signed for another type', 'signature', () => changed({ 'Content-Type': 'text/plain' })],
    ['has another body', 'digest', () => ({ ...signed(body()), body: Buffer.from(started('forger')) })],
    ['is signed too long ago', 'timestamp', () => signed(body(), { timestamp: ago(3000) })],
    ['is signed in the future', 'timestamp', () => signed(body(), { timestamp: ago(-600) })],
    ['is signed at no time', 'timestamp', () => signed(body(), { timestamp: 'now' })],
  ])('because it %s: the answer does not tell, the log does', async (_why, reason, request) => {
    const from = service.lines.length;
    const { answer, line } = await sendAndReadLine(request());
    expect({ http: answer.status, body: answer.body }).toEqual({ http: 401, body: '{"status":"unauthorized"}' });
    expect(line).toMatchObject({ outcome: 'unauthorized', status: 401 });
    const rejections = service.lines.slice(from).filter(({ msg }) => msg === 'request rejected');
    expect(rejections).toEqual([
      expect.objectContaining({ level: 40, reason, detail: expect.any(String), path: '/callback' }),
    ]);
  });

  it('because a header is there twice: the same', async () => {
    const request = signed(body());
    const wire = toWire(request, [`Content-Length: ${request.body.length}`, 'X-Svc-Timestamp: 1']);
    const { answer, line } = await sendAndReadLine(wire);
    expect({ http: answer.status, body: answer.body }).toEqual({ http: 401, body: '{"status":"unauthorized"}' });
    expect(line).toMatchObject({ outcome: 'unauthorized', status: 401 });
  });
});

describe('a request that is not for the callback', () => {
  it.each<[string, () => WireRequest, number, string, string]>([
    ['is too large', () => signed(started('s', { filler: 'x'.repeat(70_000) })), 413, 'payload-too-large', 'too-large'],
    ['has another path', () => signed('{}', { target: '/other' }), 404, 'not-found', 'not-found'],
    ['has almost that path', () => signed('{}', { target: '/Callback' }), 404, 'not-found', 'not-found'],
    ['has another method', () => signed('{}', { method: 'DELETE' }), 405, 'method-not-allowed', 'method-not-allowed'],
  ])('because it %s is told so', async (_why, request, http, status, outcome) => {
    const { answer, line } = await sendAndReadLine(request());
    expect({ http: answer.status, body: answer.body }).toEqual({ http, body: JSON.stringify({ status }) });
    expect(line).toMatchObject({ outcome, status: http });
  });

  it.each([
    ['is no HTTP', `${MARK}\r\n\r\n`],
    ['has a length that is none', 'POST /callback HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n'],
    ['has headers without end', `POST /callback HTTP/1.1\r\nHost: x\r\nX-Large: ${MARK.repeat(5000)}\r\n\r\n`],
  ])('because it %s is asked to come again', async (_why, bytes) => {
    const { answer, line } = await sendAndReadLine(bytes);
    expect(answer).toMatchObject({ status: 503, body: '{"status":"capacity"}', headers: { 'retry-after': '3' } });
    expect(line).toMatchObject({ outcome: 'malformed', status: 503, problem: expect.stringMatching(/^HPE_/) });
  });

  it('leaves a line where its sender leaves before the end', async () => {
    const from = service.lines.length;
    const connection = await openConnection(service.port);
    connection.send(toWire(signed(started('left'))).subarray(0, -10));
    connection.reset();
    const line = await until('its line', () => requestLines(from)[0]);
    // What the service sees of it depends on how far the bytes came.
    expect(['aborted', 'malformed']).toContain(line.outcome);
  });
});

describe('the signature vectors', () => {
  const bySecrets = [...groupBy(SIGNATURE_VECTORS, ({ secrets }) => secrets.join(','))];

  it.each(bySecrets)('are found authentic, or not, by a process with the secrets %s', async (secrets, vectors) => {
    const receiver = await services.start({
      ROLE: 'receiver',
      QUEUE_PREFIX: uniquePrefix(),
      APPLICATION_SECRET: secrets,
      TIMESTAMP_TOLERANCE_S: '0',
    });
    const answers = await Promise.all(vectors.map((vector) => send(wireOf(vector), receiver)));
    expect(vectors.map(({ name }, at) => [name, answers[at]?.status])).toEqual(
      vectors.map((vector) => [vector.name, expectedOf(vector)]),
    );
    expect(receiver.lines.map(({ msg }) => msg)).toContain(
      'TIMESTAMP_TOLERANCE_S is 0: a recorded request is taken for new once DEDUPE_WINDOW_S has passed.',
    );
    expect(await receiver.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  function wireOf({ method, target, headers, bodyBase64 }: SignatureVector): WireRequest {
    return { method, target, headers, body: Buffer.from(bodyBase64, 'base64') };
  }

  function expectedOf({ authentic, target }: SignatureVector): number {
    if (!target.startsWith('/callback')) return 404;
    return authentic ? 200 : 401;
  }
});

describe('the admin listener', () => {
  it('gives its metrics to who has the token', async () => {
    expect(await get(service.adminPort, '/metrics')).toMatchObject({ status: 401, body: '{"status":"unauthorized"}' });
    expect((await get(service.adminPort, '/metrics', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await get(service.adminPort, '/metrics', { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    expect(await get(service.adminPort, '/nothing')).toMatchObject({ status: 404, body: '{"status":"not-found"}' });
  });

  it('and the public one say that the process lives', async () => {
    for (const port of [service.port, service.adminPort]) {
      expect(await get(port, '/healthz')).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    }
    expect(await get(service.adminPort, '/readyz')).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect((await get(service.port, '/readyz')).status).toBe(404);
    expect((await get(service.port, '/metrics')).status).toBe(404);
  });

  it('counts what came and what became of it', async () => {
    const before = await metrics();
    await send(signed(started('counted')));
    await send(signed(started('counted')));
    await send(signed(message({ what: 'unheard-of', data: { streamId: 'counted' } })));
    await send(signed(message({ what: 'live', data: { streamId: 'counted-failed', failsForGood: true } })));
    await send(signed('[]'));
    await send(signed(started('counted'), { secret: MARK }));
    await until(
      'all is handled',
      () => services.runs().filter(({ stream }) => String(stream).startsWith('counted')).length === 3,
    );
    const moved = async () => {
      const after = await metrics();
      return (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    };
    await until(
      'the failure is counted',
      async () => (await moved())('sluice_attempts_total{handler="catalogue",outcome="failed"}') === 1,
    );
    const by = await moved();
    const expected = {
      'sluice_requests_total{outcome="accepted",status="200"}': 3,
      'sluice_requests_total{outcome="duplicate",status="200"}': 1,
      'sluice_requests_total{outcome="invalid",status="400"}': 1,
      'sluice_requests_total{outcome="unauthorized",status="401"}': 1,
      'sluice_request_duration_seconds_count{outcome="accepted"}': 3,
      'sluice_rejections_total{reason="signature"}': 1,
      'sluice_notifications_accepted_total{kind="started"}': 1,
      'sluice_notifications_accepted_total{kind="other"}': 1,
      'sluice_notifications_accepted_total{kind="live"}': 1,
      'sluice_notifications_repeated_total{kind="started"}': 1,
      'sluice_notification_held_seconds_count{kind="started"}': 1,
      'sluice_notification_held_seconds_count{kind="live"}': 1,
      'sluice_attempts_total{handler="catalogue",outcome="success"}': 2,
      'sluice_attempts_total{handler="catalogue",outcome="failed"}': 1,
      'sluice_attempt_duration_seconds_count{handler="catalogue"}': 3,
      'sluice_queue_jobs{queue="handler-catalogue",state="failed"}': 1,
    };
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, by(name)]))).toEqual(expected);
    const now = await metrics();
    expect(now.get('sluice_redis_up')).toBe(1);
    expect(now.get('sluice_lanes{queue="handler-catalogue"}')).toBe(0);
    expect(now.get('sluice_queue_jobs{queue="notifications",state="failed"}')).toBeGreaterThanOrEqual(1);
    expect(now.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });
});

describe('after all that', () => {
  it('the process is unharmed, and its log holds no body, secret, signature or query', async () => {
    const answer = await send(signed(started('last')));
    expect(answer.status).toBe(200);
    await until('it is handled', () => services.runs().some(({ stream }) => stream === 'last'));
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(service.err()).toBe('');
    expect(service.lines.filter(({ level }) => level >= 60)).toEqual([]);
    const log = service.out();
    expect(log).toContain('"stream":"last"');
    const secrets = sent.flatMap(({ headers }) => [
      headers.Authorization?.slice('HMAC-SHA256 '.length),
      headers['X-Svc-Content-Sha256'],
    ]);
    expect(secrets.length).toBeGreaterThan(80);
    for (const secret of [MARK, SECRET, TOKEN, ...secrets])
      if (secret) expect(log.includes(secret) && secret).toBe(false);
  });
});

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { verifyEdgeToken } from '../../../src/protocol/edge-token.js';
import { createManualClock } from '../../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../../src/sandbox/create-sandbox.js';
import { startReceiver } from '../receiver.js';
import { releasers } from '../releasers.js';

const releasing = releasers();

async function setUp() {
  const receiver = releasing(await startReceiver({ answer: ({ message }) => (message.what === 'live' ? 400 : 200) }));
  const clock = createManualClock();
  const sandbox = releasing(
    await createSandbox({ clock, callback: receiver.callback, faults: 'reorder=0.5', seed: 3 }),
  );
  return { receiver, clock, sandbox, http: request(sandbox.baseUrl) };
}

describe('the control API', () => {
  it('tells how the sandbox is set', async () => {
    const { http, receiver, sandbox } = await setUp();
    expect((await http.get('/sandbox')).body).toEqual({
      applicationId: 'sandbox',
      baseUrl: sandbox.baseUrl,
      endpoint: `POST http://127.0.0.1:${receiver.callback.port}/callback`,
      run: expect.stringMatching(/^[0-9a-f]{8}$/),
      seed: 3,
      speed: 1,
      faults: 'reorder=0.5',
    });
  });

  it('publishes, lists and ends streams, whose identifiers are percent-encoded in paths', async () => {
    const { http, clock } = await setUp();
    const { body: stream } = await http.post('/sandbox/streams').send({ tags: ['a'], capabilities: ['streaming'] });
    expect((await http.get('/sandbox/streams')).body).toMatchObject([{ streamId: stream.streamId, state: 'live' }]);
    await clock.advance(5_000);
    const path = `/sandbox/streams/${encodeURIComponent(stream.streamId)}`;
    expect((await http.post(`${path}/end`).send({ reason: 'enough' })).body).toMatchObject({
      state: 'ended',
      durationMs: 5_000,
      reason: 'enough',
    });
    const again = await http.post(`${path}/end`);
    expect([again.status, again.body.status]).toEqual([409, 'stream-ended']);
    const unknown = await http.post('/sandbox/streams/other/end');
    expect([unknown.status, unknown.body.status]).toEqual([404, 'stream-not-found']);
  });

  it('sends notifications of any kind', async () => {
    const { http, clock, sandbox, receiver } = await setUp();
    const { streamId } = sandbox.publish();
    const path = `/sandbox/streams/${encodeURIComponent(streamId)}/notifications`;
    expect((await http.post(path).send({ what: 'thumbnail', data: { size: 3 } })).status).toBe(200);
    await clock.advance(1_000);
    expect(receiver.received.map(({ message }) => message.data)).toContainEqual({ streamId, size: 3 });
    expect((await http.post(path).send({ data: {} })).status).toBe(400);
  });

  it('shows deliveries, by state, stream and kind', async () => {
    const { http, clock, sandbox } = await setUp();
    const { streamId } = sandbox.publish();
    sandbox.publish();
    await clock.advance(10_000);
    const shown = async (query: object) => (await http.get('/sandbox/deliveries').query(query)).body;
    expect(await shown({})).toHaveLength(18);
    expect(await shown({ state: 'refused' })).toHaveLength(16);
    expect(await shown({ state: 'acknowledged', stream: streamId })).toMatchObject([
      { what: 'started', streamId, attempts: [{ kind: 'first', number: 1, answer: { http: 200 } }] },
    ]);
    expect(await shown({ what: 'live', limit: 3 })).toHaveLength(3);
    expect((await http.get('/sandbox/deliveries').query({ limit: 'all' })).status).toBe(400);
  });

  it('makes tokens', async () => {
    const { http } = await setUp();
    const { body } = await http
      .post('/sandbox/tokens')
      .send({ type: 'stream', capabilities: ['egress'], expiresInMs: 5_000 });
    const verification = verifyEdgeToken(body.token, { applicationId: 'sandbox', secret: 'sandbox-secret' });
    expect(verification).toMatchObject({ valid: true, claims: { type: 'stream', capabilities: ['egress'] } });
    expect((await http.post('/sandbox/tokens').send({ capabilities: [''] })).status).toBe(400);
    expect((await http.post('/sandbox/tokens').send({ type: 'other' })).status).toBe(400);
  });

  it('prepares answers, shows and clears them', async () => {
    const { http } = await setUp();
    expect((await http.post('/sandbox/answers').send({ operation: 'publish', http: 503 })).body).toMatchObject({
      http: 503,
    });
    expect((await http.get('/sandbox/answers')).body).toEqual([{ operation: 'publish', http: 503, times: 1 }]);
    await http.delete('/sandbox/answers');
    expect((await http.get('/sandbox/answers')).body).toEqual([]);
  });

  it('takes records of what was handled, one or several, and reports', async () => {
    const { http, clock, sandbox, receiver } = await setUp();
    sandbox.publish();
    await clock.advance(10_000);
    const notification = receiver.received[0]?.message;
    const record = { handler: 'catalogue', on: ['started'], notification };
    expect((await http.post('/sandbox/recorder').send(record)).body).toEqual({ status: 'ok', recorded: 1 });
    expect((await http.post('/sandbox/recorder').send([record, record])).body.recorded).toBe(2);
    const altered = { ...record, notification: { ...notification, sessionId: 'other' } };
    const foreign = { ...record, notification: { ...notification, data: { streamId: 'of another run' } } };
    await http.post('/sandbox/recorder').send([altered, foreign, { ...record, replayed: true }]);
    const { body } = await http.get('/sandbox/report');
    expect(body.handlers).toMatchObject([
      { recorded: 6, lost: 0, handledTwice: 2, altered: 1, foreign: 1, replayed: 1 },
    ]);
    expect(body.problems).toEqual([
      'catalogue: 2 handled twice',
      'catalogue: 1 handled in another form than they were sent',
    ]);
    expect((await http.post('/sandbox/recorder').send({ notification })).status).toBe(400);
  });

  it('answers 400 to what it does not understand', async () => {
    const { http } = await setUp();
    for (const body of ['{', '[]', '{"tag":["a"]}', '{"durationMs":-1}']) {
      const answer = await http.post('/sandbox/streams').set('Content-Type', 'application/json').send(body);
      expect([answer.status, typeof answer.body.message]).toEqual([400, 'string']);
    }
  });
});

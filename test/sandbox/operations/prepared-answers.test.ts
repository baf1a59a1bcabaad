import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { STATUSES } from '../../../src/protocol/statuses.js';
import { createSandbox } from '../../../src/sandbox/create-sandbox.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { releasers } from '../releasers.js';

const releasing = releasers();
const open = async () => releasing(await createSandbox());

const replay = (sandbox: Sandbox) => request(sandbox.baseUrl).get('/svc/sandbox/stream/replay/primary.m3u8');
const publish = (sandbox: Sandbox) =>
  request(sandbox.baseUrl)
    .put('/svc/sandbox/stream/publish/uri/srt')
    .set('Authorization', `Bearer ${sandbox.createToken({ capabilities: ['publish-uri'] })}`)
    .send({ uri: 'srt://a:1' });

describe('an answer on demand', () => {
  it.each(Object.entries(STATUSES).filter(([name]) => name !== 'ok'))(
    'may be %s',
    async (name, { http, operations }) => {
      const sandbox = await open();
      const [operation] = operations;
      const send = { publish, replay, register: replay, restream: publish }[operation];
      sandbox.answerNext({ http, status: name });
      const answer = await send(sandbox);
      expect([answer.status, answer.body]).toEqual([http, { status: name }]);
    },
  );

  it.each([
    ['402', 402, 'geo-restricted'],
    ['403', 403, 'geo-blocked'],
    ['408', 408, 'request-timeout'],
    ['503', 503, 'capacity'],
    ['504', 504, 'rate-limited'],
    ['500', 500, 'internal-server-error'],
    ['400 too-early', 400, 'too-early'],
  ])('is asked for by the header X-Sandbox-Answer: %s', async (asked, http, status) => {
    const sandbox = await open();
    const answer = await publish(sandbox).set('X-Sandbox-Answer', asked);
    expect([answer.status, answer.body]).toEqual([http, { status }]);
    expect(sandbox.streams()).toEqual([]);
    expect((await publish(sandbox)).status).toBe(200);
  });

  it('is asked for by the query too, and may have a body that is not JSON', async () => {
    const answer = await replay(await open()).query({ sandboxAnswer: '502 not-json' });
    expect(answer.status).toBe(502);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(() => JSON.parse(answer.text)).toThrow();
  });

  it('is refused where it is none', async () => {
    const answer = await publish(await open()).set('X-Sandbox-Answer', 'later');
    expect([answer.status, answer.body.status]).toEqual([400, 'invalid-answer']);
  });

  it('is prepared for an operation, and as often as asked', async () => {
    const sandbox = await open();
    sandbox.answerNext({ operation: 'publish', http: 503, times: 2 });
    sandbox.answerNext({ operation: 'publish', http: 500, body: 'gone', contentType: 'text/plain', delayMs: 30 });
    expect((await replay(sandbox)).status).toBe(401);
    const before = performance.now();
    const answers = [await publish(sandbox), await publish(sandbox), await publish(sandbox), await publish(sandbox)];
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 500, 200]);
    expect([answers[2]?.text, answers[2]?.headers['content-type']]).toEqual(['gone', 'text/plain']);
    expect(performance.now() - before).toBeGreaterThanOrEqual(29);
  });

  it('is taken back', async () => {
    const sandbox = await open();
    sandbox.answerNext({ http: 503 });
    expect(sandbox.preparedAnswers()).toEqual([{ http: 503, times: 1 }]);
    sandbox.clearAnswers();
    expect((await publish(sandbox)).status).toBe(200);
  });

  it('is refused with the field that it cannot take', async () => {
    const sandbox = await open();
    expect(() => sandbox.answerNext({ http: 99 })).toThrow(/^http: /);
    const answer = await request(sandbox.baseUrl).post('/sandbox/answers').send({ http: 503, operation: 'delete' });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(/^operation: /)]);
  });
});

describe('an answer that is delayed', () => {
  it('keeps nobody waiting once the sandbox is closed', async () => {
    const sandbox = await createSandbox();
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    sandbox.answerNext({ http: 200, delayMs: 600_000 });
    const asked = fetch(`${sandbox.baseUrl}/svc/sandbox/stream/replay/primary.m3u8`).catch(() => 'broken off');
    while (sandbox.preparedAnswers().length > 0) await new Promise(setImmediate);
    await sandbox.close();
    expect(await asked).toBe('broken off');
    expect(timers()).toBe(before);
  });
});

import { describe, expect, it } from '@jest/globals';
import { releasers } from '../sandbox/releasers.js';
import { EVERY, errorOf, type OperationName, openBoth } from './open-both.js';

const releasing = releasers();
const open = async (...options: Parameters<typeof openBoth>) => releasing(await openBoth(...options));

/** What the client waits when an answer never changes: 5 attempts at most, no jitter. */
const WAITS = { never: [], once: [1000], 'immediately-then-backoff': [0, 1000, 2000, 4000] };
type Guidance = keyof typeof WAITS;

/** The operation is answered so again and again; the client gives up where it should, and the sandbox counted along. */
async function expectFailure(
  operation: OperationName,
  answer: { http: number; status?: string; notJson?: boolean },
  retry: Guidance,
  status: string,
): Promise<void> {
  const { sandbox, operations, waits } = await open();
  sandbox.publish();
  sandbox.answerNext({ operation, ...answer, times: 10 });
  const attempts = WAITS[retry].length + 1;
  expect(errorOf(await operations[operation]())).toMatchObject({ http: answer.http, status, retry, attempts });
  expect(waits).toEqual(WAITS[retry]);
  expect(sandbox.preparedAnswers()).toMatchObject([{ times: 10 - attempts }]);
  expect(sandbox.streams()).toHaveLength(1);
}

const across = <Row extends unknown[]>(rows: [operations: readonly OperationName[], ...Row][]) =>
  rows.flatMap(([operations, ...row]) => operations.map((operation) => [operation, ...row] as const));

describe("the contract's tables of errors, on demand", () => {
  // The codes whose status the contract leaves open have one made of the code's name.
  const rows: [OperationName[] | typeof EVERY, number, string, Guidance][] = [
    [EVERY, 400, 'bad-request', 'never'],
    [EVERY, 401, 'unauthorized', 'never'],
    [EVERY, 404, 'not-found', 'never'],
    [EVERY, 429, 'too-many-requests', 'never'],
    [EVERY, 503, 'capacity', 'once'],
    [EVERY, 500, 'internal-server-error', 'immediately-then-backoff'],
    [EVERY, 502, 'bad-gateway', 'immediately-then-backoff'],
    [['publish', 'replay'], 402, 'geo-restricted', 'never'],
    [['publish', 'replay'], 403, 'geo-blocked', 'never'],
    [['publish'], 409, 'conflicting-capability', 'never'],
    [['publish'], 415, 'invalid-source-uri', 'never'],
    [['restream'], 415, 'requires-streaming', 'never'],
    [['replay'], 408, 'request-timeout', 'immediately-then-backoff'],
    [['publish', 'replay'], 504, 'rate-limited', 'immediately-then-backoff'],
  ];

  it.each(across(rows))('%s: %i %s, to be repeated: %s', (operation, http, status, retry) =>
    expectFailure(operation, { http }, retry, status),
  );

  it.each(across([[['register', 'publish', 'restream'], 408, 'request-timeout']]))(
    '%s: %i %s is but another 4XX there, never to be repeated',
    (operation, http, status) => expectFailure(operation, { http }, 'never', status),
  );
});

describe('bodies that are not JSON', () => {
  const rows: [typeof EVERY, number, Guidance][] = [
    [EVERY, 400, 'never'],
    [EVERY, 401, 'never'],
    [EVERY, 500, 'immediately-then-backoff'],
    [EVERY, 503, 'once'],
    [EVERY, 504, 'immediately-then-backoff'],
  ];

  it.each(across(rows))('%s: %i speaks for itself, to be repeated: %s', (operation, http, retry) =>
    expectFailure(operation, { http, notJson: true }, retry, `http-${http}`),
  );

  it.each(EVERY)('%s: a success that cannot be read is a failure that is not repeated', (operation) =>
    expectFailure(operation, { http: 200, notJson: true }, 'never', 'invalid-answer'),
  );
});

describe('what a request itself causes', () => {
  it('401 unauthorized: the secret of another application', async () => {
    const { sandbox } = await open();
    const stranger = await open({}, { baseUrl: sandbox.baseUrl, secret: 'another' });
    expect(errorOf(await stranger.operations.register())).toMatchObject({ http: 401, status: 'unauthorized' });
  });

  it('409 conflicting-capability: two ingest capabilities', async () => {
    const { operations } = await open();
    const error = errorOf(await operations.publish({ capabilities: ['publish-uri', 'hd', 'xhd'] }));
    expect(error).toMatchObject({ http: 409, status: 'conflicting-capability', retry: 'never', attempts: 1 });
  });

  it.each(['srt://', 'https://a.example/film.mp4', 'urn:isbn:0451450523'])(
    '415 invalid-source-uri: %s is none of type srt',
    async (uri) => {
      const { client, token } = await open();
      const result = await client.publishUri({ type: 'srt', uri, token: token({ capabilities: ['publish-uri'] }) });
      expect(errorOf(result)).toMatchObject({ http: 415, status: 'invalid-source-uri', retry: 'never', attempts: 1 });
    },
  );

  it('415 requires-streaming: a source published without it', async () => {
    const { sandbox, operations } = await open();
    sandbox.publish({ capabilities: ['on-demand'] });
    const error = errorOf(await operations.restream());
    expect(error).toMatchObject({ http: 415, status: 'requires-streaming', retry: 'never', attempts: 1 });
  });

  it('404, another 4XX: no stream, and no such manifest', async () => {
    const { sandbox, operations, client, token } = await open();
    expect(errorOf(await operations.replay())).toMatchObject({ http: 404, status: 'stream-not-found' });
    expect(errorOf(await operations.restream())).toMatchObject({ http: 404, status: 'stream-not-found' });
    sandbox.publish();
    const range = { startTime: '2026-11-20T10:00:00Z', endTime: '2026-11-20T11:00:00Z' };
    const unknown = await client.fetchReplayManifest({
      type: '4k',
      ...range,
      token: token({ capabilities: ['replay'] }),
    });
    expect(errorOf(unknown)).toMatchObject({ http: 404, status: 'manifest-not-found' });
  });

  it('400: an apiVersion that is not there yet', async () => {
    const { client, token } = await open();
    const range = { startTime: '2026-11-20T10:00:00Z', endTime: '2026-11-20T11:00:00Z' };
    const replay = { ...range, token: token({ capabilities: ['replay'] }) };
    expect(errorOf(await client.fetchReplayManifest({ ...replay, apiVersion: 1 }))).toMatchObject({ http: 400 });
    const zero = errorOf(await client.fetchReplayManifest({ ...replay, apiVersion: 0, httpRoundTripTime: 12.5 }));
    expect(zero).toMatchObject({ http: 404, status: 'stream-not-found' });
  });
});

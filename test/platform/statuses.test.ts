import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, EVERY, errorOf, type OperationName, STREAM } from './client-of.js';
import { json, type RecordedAnswer, type RecordedPlatform, startRecordedPlatform } from './recorded-platform.js';

/** Waits for each guidance when an answer never changes: 5 attempts at most, no jitter. */
const SCHEDULES = { never: [], once: [1000], 'immediately-then-backoff': [0, 1000, 2000, 4000] };
let platform: RecordedPlatform;
let caller: ReturnType<typeof clientOf>;

beforeEach(async () => {
  platform = await startRecordedPlatform();
  caller = clientOf(platform.url);
});
afterEach(async () => {
  await caller.close();
  await platform.close();
});

describe('a status of the contract', () => {
  const rows: [http: number, status: string, retry: keyof typeof SCHEDULES, operations: OperationName[]][] = [
    [400, 'invalid-host', 'never', EVERY],
    [401, 'unauthorized', 'never', EVERY],
    [404, 'not-found', 'never', EVERY],
    [429, 'too-many', 'never', EVERY],
    [503, 'capacity', 'once', EVERY],
    [500, 'internal', 'immediately-then-backoff', EVERY],
    [502, 'bad-gateway', 'immediately-then-backoff', EVERY],
    [402, 'geo-restricted', 'never', ['publish', 'replay']],
    [403, 'geo-blocked', 'never', ['publish', 'replay']],
    [409, 'conflicting-capability', 'never', ['publish']],
    [415, 'invalid-source-uri', 'never', ['publish']],
    [415, 'requires-streaming', 'never', ['restream']],
    [408, 'request-timeout', 'immediately-then-backoff', ['replay']],
    [504, 'rate-limited', 'immediately-then-backoff', ['publish', 'replay']],
  ];
  const cases = rows.flatMap(([http, status, retry, operations]) =>
    operations.map((operation) => ({ http, status, retry, operation })),
  );

  it.each(cases)('$operation: $http $status is repeated: $retry', async ({ http, status, retry, operation }) => {
    platform.respond(() => json(http, { status, hint: 'more' }));
    const error = errorOf(await caller.operations[operation]());
    const attempts = SCHEDULES[retry].length + 1;
    expect(error).toMatchObject({ status, http, retry, attempts, answer: { status, hint: 'more' } });
    expect(error.message).toContain(`was answered ${http} ${status}`);
    expect(caller.waits).toEqual(SCHEDULES[retry]);
    expect(platform.requests).toHaveLength(attempts);
    expect(new Set(platform.requests.map((request) => JSON.stringify(request))).size).toBe(1);
    expect(
      caller.notices.map(({ operation, attempt, waitMs, failure }) => [operation, attempt, waitMs, failure.status]),
    ).toEqual(SCHEDULES[retry].map((waitMs, index) => [operation, index + 1, waitMs, status]));
  });
});

describe('a failure that passes', () => {
  it.each([
    ['at once', [json(500, { status: 'internal' })], [0]],
    ['after a wait', [json(503, { status: 'capacity' })], [1000]],
    ['after several', [{ http: 502 }, 'reset', { http: 504 }] as RecordedAnswer[], [0, 1000, 2000]],
    ['of two kinds', [{ http: 500 }, json(503, { status: 'capacity' })] as RecordedAnswer[], [0, 1000]],
  ])('ends in success, %s', async (_, failures, waits) => {
    platform.answers(...failures, STREAM);
    expect(await caller.operations.publish()).toMatchObject({ ok: true, attempts: failures.length + 1 });
    expect(caller.waits).toEqual(waits);
  });

  it('is not repeated beyond the limit of attempts', async () => {
    const other = clientOf(platform.url, { retry: { maxAttempts: 2 } });
    platform.answers({ http: 500 }, { http: 500 }, STREAM);
    expect(errorOf(await other.operations.publish())).toMatchObject({ http: 500, attempts: 2 });
    await other.close();
  });

  it('turning into one that does not, is not repeated again', async () => {
    platform.answers({ http: 500 }, json(401, { status: 'unauthorized' }), STREAM);
    expect(errorOf(await caller.operations.publish())).toMatchObject({ status: 'unauthorized', attempts: 2 });
    expect(platform.requests).toHaveLength(2);
  });
});

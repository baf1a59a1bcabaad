import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, EVERY, errorOf, STREAM, TOKEN } from './client-of.js';
import { json, type RecordedAnswer, type RecordedPlatform, startRecordedPlatform } from './recorded-platform.js';

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

describe('a network that fails', () => {
  it('is reported as unreachable, and tried again', async () => {
    platform.respond(() => 'reset');
    const error = errorOf(await caller.operations.publish());
    expect(error).toMatchObject({
      status: 'unreachable',
      http: undefined,
      retry: 'immediately-then-backoff',
      attempts: 5,
    });
    expect(error.message).toContain(
      `PUT ${platform.url}/svc/my-application/stream/publish/uri/srt got no whole answer`,
    );
    expect(error.cause).toBeDefined();
    expect(caller.waits).toEqual([0, 1000, 2000, 4000]);
  });

  it('is reported as unreachable where nothing listens', async () => {
    const closed = await startRecordedPlatform();
    await closed.close();
    const other = clientOf(closed.url, { retry: { maxAttempts: 1 } });
    const error = errorOf(await other.operations.register());
    expect(error).toMatchObject({ status: 'unreachable', attempts: 1 });
    expect(error.message).toContain('ECONNREFUSED');
    await other.close();
  });

  it('is tried again where a success broke off, and its HTTP code kept', async () => {
    platform.respond(() => ({ breakOff: 200 }));
    expect(errorOf(await caller.operations.register())).toMatchObject({
      status: 'unreachable',
      http: 200,
      attempts: 5,
    });
  });

  it('changes nothing about a failure whose HTTP code had come', async () => {
    platform.respond(() => ({ breakOff: 503 }));
    expect(errorOf(await caller.operations.register())).toMatchObject({ status: 'http-503', http: 503, attempts: 2 });
  });
});

describe('time', () => {
  it.each([
    ['no answer', 'hang', 'timeout', undefined],
    ['an answer that does not go on', { stall: 200 }, 'timeout', 200],
    ['a failure that does not go on', { stall: 503 }, 'http-503', 503],
  ] satisfies [string, RecordedAnswer, string, number | undefined][])(
    'is limited for each attempt: %s',
    async (_, answer, status, http) => {
      const other = clientOf(platform.url, { timeoutMs: 60, retry: { maxAttempts: 2 } });
      platform.respond(() => answer);
      expect(errorOf(await other.operations.publish())).toMatchObject({ status, http, attempts: 2 });
      await other.close();
    },
  );

  it('says the limit that was reached', async () => {
    const other = clientOf(platform.url, { timeoutMs: 60, retry: { maxAttempts: 1 } });
    platform.respond(() => 'hang');
    const error = errorOf(await other.operations.publish());
    expect(error.message).toContain('within 60 ms');
    expect(error.retry).toBe('immediately-then-backoff');
    await other.close();
  });

  it('is enough for a second attempt after a slow first', async () => {
    const other = clientOf(platform.url, { timeoutMs: 200 });
    platform.answers('hang', STREAM);
    expect(await other.operations.publish()).toMatchObject({ ok: true, attempts: 2 });
    await other.close();
  });
});

describe('a message', () => {
  it('holds neither token nor secret, nor the query that holds the token', async () => {
    platform.respond(() => json(401, { status: 'unauthorized' }));
    for (const operation of EVERY) {
      const text = JSON.stringify(errorOf(await caller.operations[operation]()));
      for (const secret of [TOKEN, encodeURIComponent(TOKEN), 'my-secret', 'edgeAuthToken']) {
        expect(text).not.toContain(secret);
      }
    }
  });

  it('holds none where the network fails, cause included', async () => {
    platform.respond(() => 'reset');
    for (const operation of EVERY) {
      const { cause, message } = errorOf(await caller.operations[operation]());
      expect(`${message} ${String(cause)} ${JSON.stringify(cause)}`).not.toContain('DIGEST');
    }
  });
});

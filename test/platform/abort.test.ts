import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, errorOf, STREAM } from './client-of.js';
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

describe('an abort', () => {
  const input = { type: 'srt', uri: 'srt://a:1' } as const;

  it('before the start sends nothing', async () => {
    const reason = new Error('not wanted');
    const result = await caller.client.publishUri(input, { signal: AbortSignal.abort(reason) });
    expect(errorOf(result)).toMatchObject({ status: 'aborted', retry: 'never', attempts: 0, cause: reason });
    expect(platform.requests).toEqual([]);
  });

  it.each(['hang', { stall: 200 }, { stall: 500 }] satisfies RecordedAnswer[])(
    'on the way ends the request, and no other follows: %j',
    async (answer) => {
      const controller = new AbortController();
      platform.respond(() => answer);
      const arrival = platform.arrival();
      const publishing = caller.client.publishUri(input, { signal: controller.signal });
      await arrival;
      controller.abort(new Error('changed my mind'));
      expect(errorOf(await publishing)).toMatchObject({
        status: 'aborted',
        retry: 'never',
        attempts: 1,
        cause: { message: 'changed my mind' },
      });
      expect(platform.requests).toHaveLength(1);
    },
  );

  it('in the middle of a wait ends the wait, and says what was waited for', async () => {
    const controller = new AbortController();
    const other = clientOf(platform.url, {
      sleep: async (ms, signal) => {
        setImmediate(() => controller.abort(new Error('enough')));
        await wait(ms + 60_000, undefined, signal && { signal });
      },
    });
    platform.respond(() => json(503, { status: 'capacity' }));
    const error = errorOf(await other.client.publishUri(input, { signal: controller.signal }));
    expect(error).toMatchObject({ status: 'aborted', retry: 'never', attempts: 1, cause: { message: 'enough' } });
    expect(error.message).toContain('aborted by the caller, after: ');
    expect(error.message).toContain('503 capacity');
    await other.close();
  });

  it('ends the default wait too', async () => {
    const controller = new AbortController();
    const other = clientOf(platform.url, { sleep: undefined, retry: { baseMs: 60_000, maxMs: 60_000 } });
    platform.respond(() => json(503, { status: 'capacity' }));
    const result = other.client.publishUri(input, { signal: controller.signal });
    await platform.arrival();
    setTimeout(() => controller.abort(), 50);
    expect(errorOf(await result)).toMatchObject({ status: 'aborted' });
    await other.close();
  });

  it("by the caller's own deadline is told apart from a slow attempt", async () => {
    platform.respond(() => 'hang');
    const error = errorOf(await caller.client.publishUri(input, { signal: AbortSignal.timeout(50) }));
    expect(error).toMatchObject({ status: 'aborted', cause: { name: 'TimeoutError' } });
  });

  it('leaves no listener on a signal that is used again', async () => {
    const { signal } = new AbortController();
    platform.answers({ http: 500 }, STREAM);
    expect(await caller.client.publishUri(input, { signal })).toMatchObject({ ok: true, attempts: 2 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

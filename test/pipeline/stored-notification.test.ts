import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { streamKey } from '../../src/pipeline/keys.js';
import { score } from '../../src/pipeline/score.js';
import { storeNotification } from '../../src/pipeline/stored-notification.js';
import type { Notification } from '../../src/protocol/notification.js';

const ID = '0199aaaa-0000-7000-8000-000000000000';
const RECEIVED = 1_790_000_000_123;
const AT = '2026-09-21T12:34:56.789Z';

function stored(message: object) {
  const body = Buffer.from(JSON.stringify(message));
  return storeNotification(ID, message as Notification, body, RECEIVED);
}

describe('a notification as it is stored', () => {
  it('keeps its kind, stream and body, and its place by the time it states', () => {
    const message = { what: 'live', data: { streamId: 'strøm', uri: 'u' }, timestamp: AT };
    expect(stored(message)).toEqual({
      kind: 'live',
      stream: 'strøm',
      score: score(Date.parse(AT), 'live'),
      receivedAt: RECEIVED,
      body: JSON.stringify(message),
    });
  });

  it.each([
    ['no timestamp', undefined],
    ['an empty one', ''],
    ['a number', 1_790_000_000_000],
    ['null', null],
    ['text', 'yesterday'],
    ['a day without a time', '2026-09-21'],
    ['a day that is none', '2026-13-45T00:00:00Z'],
    ['a time before the epoch', '1969-12-31T23:59:59Z'],
    ['a year of five digits', '+10000-01-01T00:00:00Z'],
  ])('takes the time of receipt where there is %s', (_, timestamp) => {
    expect(stored({ what: 'ended', data: { streamId: 's' }, timestamp }).score).toBe(score(RECEIVED, 'ended'));
  });

  it.each([
    ['no data', undefined],
    ['null', null],
    ['text', 'streamId'],
    ['a list', ['streamId']],
    ['data without a stream', {}],
    ['an empty stream id', { streamId: '' }],
    ['a stream id that is no text', { streamId: 7 }],
  ])('is a stream of its own where it has %s', (_, data) => {
    expect(stored({ what: 'quota', data, timestamp: AT })).toMatchObject({ stream: ID, alone: true });
  });
});

describe('the name of a stream in keys', () => {
  it('is its id up to 200 bytes, and a hash of it beyond', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), (streamId) => {
        const name = streamKey(streamId);
        const sha = createHash('sha256').update(streamId).digest('hex');
        expect(name).toBe(Buffer.byteLength(streamId) <= 200 ? streamId : `sha256-${sha}`);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
      }),
    );
    expect(streamKey('é'.repeat(100))).toBe('é'.repeat(100));
    expect(streamKey('é'.repeat(101))).toMatch(/^sha256-[0-9a-f]{64}$/);
  });
});

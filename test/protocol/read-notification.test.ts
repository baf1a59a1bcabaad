import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readNotification } from '../../src/protocol/read-notification.js';

const envelope = {
  apiVersion: 0,
  entity: 'stream',
  sessionId: 'session-1',
  timestamp: '2026-09-21T14:13:20.000Z',
};
const published = { streamId: 'us-east#1.stream', tags: ['a', 'b'] };
const playlist = {
  streamId: 'us-east#1.stream',
  uri: 'https://cdn.example.com/1/live.m3u8',
  isPrimary: true,
  isVariant: false,
};

const read = (message: unknown) => readNotification(Buffer.from(JSON.stringify(message)));

describe('readNotification', () => {
  it.each([
    ['started', published],
    ['ended', { ...published, duration: 61_234, reason: '' }],
    ['live', playlist],
    ['on-demand', playlist],
    ['paused', { anything: ['goes'] }],
  ])('takes %s as the contract has it, without deviations, exactly as it was sent', (what, data) => {
    const message = { ...envelope, what, data };
    expect(read(message)).toEqual({ valid: true, notification: message, deviations: [] });
  });

  it('keeps unknown fields, at any level', () => {
    const message = { ...envelope, what: 'started', data: { ...published, region: { name: 'eu' } }, traceId: 'x' };
    expect(read(message)).toEqual({ valid: true, notification: message, deviations: [] });
  });

  it.each([
    ['no session', { what: 'started', data: published, sessionId: undefined }, 'sessionId'],
    ['a timestamp that is none', { what: 'started', data: published, timestamp: 'yesterday' }, 'timestamp'],
    ['a version that is text', { what: 'started', data: published, apiVersion: '0' }, 'apiVersion'],
    ['tags that are text', { what: 'started', data: { ...published, tags: 'a' } }, 'data.tags'],
    ['no duration', { what: 'ended', data: { ...published, reason: '' } }, 'data.duration'],
    ['an unknown kind with an odd stream', { what: 'paused', data: { streamId: 7 } }, 'data.streamId'],
    ['an unknown kind without data', { what: 'paused' }, 'data'],
  ])('takes a message with %s, and says where it departs from the contract', (_name, fields, place) => {
    const message = { ...envelope, ...fields };
    const result = read(message);
    expect(result).toMatchObject({ valid: true, notification: JSON.parse(JSON.stringify(message)) });
    expect(result.valid && result.deviations.some((deviation) => deviation.startsWith(`${place}: `))).toBe(true);
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'the body is empty'],
    ['no JSON', 'hello', 'the body is not JSON'],
    ['JSON that ends early', '{"what":"started"', 'the body is not JSON'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'the body is not UTF-8'],
    ['null', 'null', 'expected a JSON object'],
    ['an array', '[]', 'expected a JSON object'],
    ['a number', '7', 'expected a JSON object'],
    ['no kind', '{}', 'what: expected a non-empty string'],
    ['an empty kind', '{"what":""}', 'what: expected a non-empty string'],
    ['a kind that is a number', '{"what":7}', 'what: expected a non-empty string'],
    ['a known kind without data', '{"what":"started"}', 'data: expected an object'],
    ['a known kind with text for data', '{"what":"started","data":"x"}', 'data: expected an object'],
    ['a known kind without a stream', '{"what":"live","data":{}}', 'data.streamId: expected a non-empty string'],
    [
      'a known kind with an empty stream',
      '{"what":"ended","data":{"streamId":""}}',
      'data.streamId: expected a non-empty string',
    ],
  ])('refuses %s, saying what it expected', (_name, body, problem) => {
    const result = readNotification(Buffer.from(body as string));
    expect(result).toMatchObject({ valid: false, problem: expect.stringContaining(problem) });
  });

  it('quotes nothing of a body that is no JSON', () => {
    const result = readNotification(Buffer.from('{"what": password-of-somebody}'));
    expect(JSON.stringify(result)).not.toContain('password');
  });

  it('does not take names of Object.prototype for kinds or fields', () => {
    expect(read({ ...envelope, what: 'constructor', data: {} })).toMatchObject({ valid: true });
    const poisoned = readNotification(Buffer.from('{"what":"started","__proto__":{"data":{"streamId":"x"}}}'));
    expect(poisoned.valid).toBe(false);
    expect({}).not.toHaveProperty('data');
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof readNotification(Buffer.from(bytes)).valid).toBe('boolean');
      }),
    );
  });

  it('never throws, whatever the JSON', () => {
    const what = fc.constantFrom('started', 'ended', 'live', 'on-demand', 'other');
    const message = fc.oneof(fc.jsonValue(), fc.record({ what, data: fc.jsonValue(), timestamp: fc.jsonValue() }));
    fc.assert(
      fc.property(message, (value) => {
        expect(typeof readNotification(Buffer.from(JSON.stringify(value))).valid).toBe('boolean');
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['open brackets', '['.repeat(1024 * 1024), false],
    ['nested arrays', `${'['.repeat(512 * 1024)}${']'.repeat(512 * 1024)}`, false],
    ['open braces', '{"a":'.repeat(200_000), false],
  ])('survives a megabyte of %s', (_name, body, valid) => {
    expect(readNotification(Buffer.from(body)).valid).toBe(valid);
  });

  it('survives a kind of its own with deep nesting in it', () => {
    const depth = 100_000;
    const deep = `{"what":"other","data":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    expect(typeof readNotification(Buffer.from(deep)).valid).toBe('boolean');
  });
});

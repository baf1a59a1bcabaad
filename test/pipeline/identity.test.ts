import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { identify, identifyBytes } from '../../src/pipeline/identity.js';
import { KNOWN_KINDS, type Notification } from '../../src/protocol/notification.js';

const asSent = (message: object) => Buffer.from(JSON.stringify(message));
const identityOf = (message: object) => identify(message as Notification, asSent(message));

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const data = fc.record({
  streamId: fc.string({ minLength: 1 }),
  tags: fc.array(fc.string(), { maxLength: 6 }),
  extra: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  nested: fc.record({ tags: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 4 }) }),
});
const known = fc.constantFrom(...KNOWN_KINDS);
const message = (what: string, of: object, timestamp = '2026-11-20T10:00:00.000Z') => ({
  apiVersion: 0,
  entity: 'stream',
  what,
  data: of,
  sessionId: 'session-1',
  timestamp,
});

/** The same message with keys in another order, and `tags` too. */
function reordered(value: Json, key = ''): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => reordered(item));
    return key === 'tags' ? items.reverse() : items;
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).reverse();
  return JSON.parse(
    `{${entries.map(([name, of]) => `${JSON.stringify(name)}:${JSON.stringify(reordered(of, name))}`)}}`,
  );
}

/** What is left of a value once order does not matter where it must not: the test's own idea of it. */
function comparable(value: Json, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(comparable(item)));
    return { array: key === 'tags' ? items.sort() : items };
  }
  if (value === null || typeof value !== 'object') return Object.is(value, -0) ? 0 : value;
  const names = Object.keys(value).sort();
  return { object: names.map((name) => [name, comparable(value[name] as Json, name)]) };
}
const same = (a: object, b: object) => JSON.stringify(comparable(a as Json)) === JSON.stringify(comparable(b as Json));

describe('the identity of a notification', () => {
  it('is the same whatever the order of keys and tags, for every kind', () => {
    fc.assert(
      fc.property(fc.oneof(known, fc.string({ minLength: 1 })), data, (what, of) => {
        const sent = message(what, of);
        expect(identityOf(reordered(sent as unknown as Json) as object)).toBe(identityOf(sent));
      }),
    );
  });

  it('of a known kind does not depend on what is not the fact: time, session, version', () => {
    fc.assert(
      fc.property(known, data, fc.string(), fc.integer(), (what, of, timestamp, apiVersion) => {
        const repeat = { ...message(what, of, timestamp), apiVersion, sessionId: 'another', region: 'eu' };
        expect(identityOf(repeat)).toBe(identityOf(message(what, of)));
      }),
    );
  });

  it('of a known kind changes with any other change of its data, and with the kind', () => {
    fc.assert(
      fc.property(known, data, data, (what, one, other) => {
        const equal = identityOf(message(what, one)) === identityOf(message(what, other));
        expect(equal).toBe(same(one, other));
      }),
    );
    const of = { streamId: 's', tags: [] };
    expect(new Set(KNOWN_KINDS.map((what) => identityOf(message(what, of)))).size).toBe(KNOWN_KINDS.length);
  });

  it.each<[string, object, object]>([
    ['a value and its text', { n: 1 }, { n: '1' }],
    ['null and no field', { n: null }, {}],
    ['an empty object and an empty array', { n: {} }, { n: [] }],
    ['other arrays in another order', { list: ['a', 'b'] }, { list: ['b', 'a'] }],
    ['a tag given twice', { tags: ['a', 'a'] }, { tags: ['a'] }],
    ['one tag and two that look like it', { tags: ['a,b'] }, { tags: ['a', 'b'] }],
    ['text that looks like structure', { a: '","b":"' }, { a: '', b: '' }],
    ['tags that are no list', { tags: 'ab' }, { tags: 'ba' }],
    ['a key named __proto__', JSON.parse('{"__proto__":1}') as object, {}],
  ])('tells apart %s', (_, one, other) => {
    const of = (extra: object) => message('started', Object.assign(Object.create(null), { streamId: 's' }, { extra }));
    expect(identityOf(of(one))).not.toBe(identityOf(of(other)));
  });

  it('of an unknown kind changes with any change of the message', () => {
    fc.assert(
      fc.property(data, data, fc.string(), fc.string(), (one, other, at, otherAt) => {
        const [a, b] = [message('unheard-of', one, at), message('unheard-of', other, otherAt)];
        expect(identityOf(a) === identityOf(b)).toBe(same(a, b));
      }),
    );
  });

  it('of a message nested deeper than the stack is that of its bytes', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const body = Buffer.from(`{"what":"started","data":{"streamId":"s","deep":${deep}}}`);
    const other = Buffer.from(`{"what":"started","data":{"streamId":"t","deep":${deep}}}`);
    const identities = [body, body, other].map((one) => identify(JSON.parse(one.toString()) as Notification, one));
    expect(identities[1]).toBe(identities[0]);
    expect(identities[2]).not.toBe(identities[0]);
  });
});

describe('the identity of a body that is no notification', () => {
  it('is that of its bytes, and never that of a notification', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (one, other) => {
        const equal = identifyBytes(Buffer.from(one)) === identifyBytes(Buffer.from(other));
        expect(equal).toBe(Buffer.from(one).equals(Buffer.from(other)));
      }),
    );
    const sent = message('started', { streamId: 's', tags: [] });
    expect(identifyBytes(asSent(sent))).not.toBe(identityOf(sent));
    expect(identifyBytes(asSent(sent))).toMatch(/^bytes-/);
  });
});

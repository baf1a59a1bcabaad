import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createEdgeToken, EDGE_TOKEN_TYPES, readEdgeToken, verifyEdgeToken } from '../../src/protocol/edge-token.js';

const APPLICATION = { applicationId: 'my-application-id', secret: 'my-secret' };
/** Published tokens of the platform's own token library for {@link APPLICATION}, expiring at 1000 ms. */
const PUBLISHED = {
  publish:
    'DIGEST:eyJhcHBsaWNhdGlvbklkIjoibXktYXBwbGljYXRpb24taWQiLCJkaWdlc3QiOiJFKytBK3EwWGhGQ09LT011RnZqcnRIOVNyeHpwZ0Q1VVZYb1B6Q1VPaGNLU3pHTGRQZmsyRVYzVkZOOWRyM2tBVGZtSWRUeCtSTlFodjJ3aVJGbUM1Zz09IiwidG9rZW4iOiJ7XCJleHBpcmVzXCI6MTAwMCxcInR5cGVcIjpcInB1Ymxpc2hcIixcImNhcGFiaWxpdGllc1wiOltcIm11bHRpLWJpdHJhdGVcIixcInN0cmVhbWluZ1wiXX0ifQ==',
  stream:
    'DIGEST:eyJhcHBsaWNhdGlvbklkIjoibXktYXBwbGljYXRpb24taWQiLCJkaWdlc3QiOiJMQU5xV1d2TWZvMmNxMzM2cEZEZU11VTFHa25YWnhCdEpTNnc1dE9VRXdCK1pmaTA1dWFwaFowUmNpZGFhNmFaUm4rSHkzMUF1eDNqUFlubE9pTnowUT09IiwidG9rZW4iOiJ7XCJleHBpcmVzXCI6MTAwMCxcInR5cGVcIjpcInN0cmVhbVwiLFwiY2FwYWJpbGl0aWVzXCI6W1wibXVsdGktYml0cmF0ZVwiLFwic3RyZWFtaW5nXCJdfSJ9',
};

const claims = fc.record(
  {
    type: fc.constantFrom(...EDGE_TOKEN_TYPES),
    capabilities: fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }),
    sessionId: fc.string({ minLength: 1, unit: 'grapheme' }),
    remoteAddress: fc.ipV4(),
    originStreamId: fc.string({ minLength: 1 }),
    requiredTag: fc.string({ minLength: 1 }),
    applyTags: fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const application = fc.record({
  applicationId: fc.string({ minLength: 1, unit: 'grapheme' }),
  secret: fc.string({ minLength: 1, unit: 'grapheme' }),
});
const FUTURE = 4e12;

/** Wraps claims as the platform would, with a digest that fits unless given. */
function wrap(token: string, digest?: string, applicationId = APPLICATION.applicationId): string {
  const right = createHmac('sha512', applicationId + APPLICATION.secret)
    .update(token)
    .digest('base64');
  return `DIGEST:${Buffer.from(JSON.stringify({ applicationId, digest: digest ?? right, token })).toString('base64')}`;
}

describe('createEdgeToken', () => {
  it.each(['publish', 'stream'] as const)('makes the published %s token, byte for byte', (type) => {
    const token = createEdgeToken({
      ...APPLICATION,
      expires: new Date(1000),
      type,
      capabilities: ['multi-bitrate', 'streaming'],
    });
    expect(token).toBe(PUBLISHED[type]);
  });

  it('takes milliseconds as well as a date, and leaves out what is not given', () => {
    const token = createEdgeToken({ ...APPLICATION, expires: 1000 });
    expect(readEdgeToken(token)?.token).toBe('{"expires":1000}');
  });

  it('names every option that it cannot take, and no secret', () => {
    const wrong = { applicationId: '', secret: 'my-secret', expires: new Date('never'), type: 'ingest' as never };
    expect(() => createEdgeToken(wrong)).toThrow(TypeError);
    expect(() => createEdgeToken(wrong)).toThrow(/applicationId: .*; |type: .*; /);
    expect(() => createEdgeToken(wrong)).toThrow(/expires: /);
    expect(() => createEdgeToken(wrong)).not.toThrow(/my-secret/);
  });
});

describe('readEdgeToken', () => {
  it('takes a token apart', () => {
    expect(readEdgeToken(PUBLISHED.publish)).toEqual({
      applicationId: 'my-application-id',
      digest: 'E++A+q0XhFCOKOMuFvjrtH9SrxzpgD5UVXoPzCUOhcKSzGLdPfk2EV3VFN9dr3kATfmIdTx+RNQhv2wiRFmC5g==',
      token: '{"expires":1000,"type":"publish","capabilities":["multi-bitrate","streaming"]}',
      claims: { expires: 1000, type: 'publish', capabilities: ['multi-bitrate', 'streaming'] },
    });
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'DIGEST:'],
    ['another prefix', PUBLISHED.publish.replace('DIGEST:', 'digest:')],
    ['Base64 with blanks in it', PUBLISHED.publish.replace('DIGEST:', 'DIGEST: ')],
    ['Base64 without its padding', PUBLISHED.publish.replace(/=+$/, '')],
    ['no JSON', `DIGEST:${Buffer.from('{').toString('base64')}`],
    ['JSON that is no object', `DIGEST:${Buffer.from('null').toString('base64')}`],
    ['a token field that is no JSON', wrap('expires=1000')],
    ['no expiry', wrap('{"type":"publish"}')],
    ['an expiry that is no number', wrap('{"expires":"1000"}')],
    ['an unknown type', wrap('{"expires":1000,"type":"ingest"}')],
    ['capabilities that are no list', wrap('{"expires":1000,"capabilities":"replay"}')],
  ])('is undefined for %s', (_, token) => {
    expect(readEdgeToken(token)).toBeUndefined();
    expect(verifyEdgeToken(token, APPLICATION)).toEqual({ valid: false, reason: 'malformed' });
  });

  it('reads what other JSON writers make: blanks, other order, further claims', () => {
    const token = wrap('{ "capabilities": ["replay"], "uri": "https://a.example", "expires": 1000 }');
    expect(readEdgeToken(token)?.claims).toEqual({ expires: 1000, capabilities: ['replay'] });
    expect(verifyEdgeToken(token, { ...APPLICATION, now: 999 })).toMatchObject({ valid: true });
  });
});

describe('verifyEdgeToken', () => {
  it('accepts the published token until the millisecond it expires', () => {
    expect(verifyEdgeToken(PUBLISHED.publish, { ...APPLICATION, now: 999 })).toEqual({
      valid: true,
      claims: { expires: 1000, type: 'publish', capabilities: ['multi-bitrate', 'streaming'] },
    });
    expect(verifyEdgeToken(PUBLISHED.publish, { ...APPLICATION, now: 1000 })).toEqual({
      valid: false,
      reason: 'expired',
    });
    expect(verifyEdgeToken(PUBLISHED.publish, APPLICATION)).toEqual({ valid: false, reason: 'expired' });
  });

  it('tells another application from another secret', () => {
    const now = 0;
    expect(verifyEdgeToken(PUBLISHED.publish, { ...APPLICATION, applicationId: 'other', now })).toMatchObject({
      reason: 'application',
    });
    expect(verifyEdgeToken(PUBLISHED.publish, { ...APPLICATION, secret: 'other', now })).toMatchObject({
      reason: 'digest',
    });
  });

  it.each([
    ['empty', ''],
    ['short', 'AAAA'],
    ['of the right length', 'A'.repeat(86).concat('==')],
    ['of more bytes than characters', 'é'.repeat(88)],
  ])('refuses a digest that is %s', (_, digest) => {
    expect(verifyEdgeToken(wrap('{"expires":1000}', digest), { ...APPLICATION, now: 0 })).toEqual({
      valid: false,
      reason: 'digest',
    });
  });

  it('accepts what was made for any application and claims, and gives those claims back', () => {
    fc.assert(
      fc.property(application, claims, (made, granted) => {
        const token = createEdgeToken({ ...made, ...granted, expires: FUTURE });
        expect(verifyEdgeToken(token, made)).toEqual({ valid: true, claims: { expires: FUTURE, ...granted } });
      }),
    );
  });

  it('never grants anything else for a token that was changed in any place', () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.integer({ min: 0, max: 5 }),
      insert: fc.oneof(fc.base64String({ maxLength: 8 }), fc.string({ maxLength: 3 })),
    });
    fc.assert(
      fc.property(claims, edit, (granted, { at, remove, insert }) => {
        const token = createEdgeToken({ ...APPLICATION, ...granted, expires: FUTURE });
        const start = at % (token.length + 1);
        const changed = token.slice(0, start) + insert + token.slice(start + remove);
        fc.pre(changed !== token);
        const verification = verifyEdgeToken(changed, APPLICATION);
        // Blanks around the outer JSON are no change to what is signed.
        if (verification.valid) expect(readEdgeToken(changed)).toEqual(readEdgeToken(token));
      }),
      { numRuns: 3000 },
    );
  });

  it('refuses every token in which one character was replaced inside the Base64', () => {
    const token = createEdgeToken({ ...APPLICATION, expires: FUTURE, type: 'stream', capabilities: ['egress'] });
    const end = token.indexOf('=') === -1 ? token.length : token.indexOf('=');
    for (let at = 0; at < end; at++) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(verifyEdgeToken(changed, APPLICATION)).toMatchObject({ valid: false });
    }
  });

  it('accepts no claims under the digest of others', () => {
    fc.assert(
      fc.property(claims, claims, (granted, wanted) => {
        const text = JSON.stringify({ expires: FUTURE, ...wanted });
        const honest = readEdgeToken(createEdgeToken({ ...APPLICATION, ...granted, expires: FUTURE }));
        fc.pre(honest !== undefined && honest.token !== text);
        expect(verifyEdgeToken(wrap(text, honest?.digest), APPLICATION)).toEqual({ valid: false, reason: 'digest' });
      }),
    );
  });

  it('never throws on garbage', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((text) => `DIGEST:${text}`),
      fc.json().map((text) => `DIGEST:${Buffer.from(text).toString('base64')}`),
      fc.json().map((text) => wrap(text)),
      fc.anything() as fc.Arbitrary<string>,
    );
    fc.assert(
      fc.property(garbage, (token) => {
        expect(verifyEdgeToken(token, APPLICATION)).toEqual({ valid: false, reason: 'malformed' });
      }),
      { numRuns: 1000 },
    );
  });
});

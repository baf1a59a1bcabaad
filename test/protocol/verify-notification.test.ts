import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type SignedRequest,
  signNotification,
  stringToSign,
  verifyNotification,
} from '../../src/protocol/signature.js';
import { signIndependently, type WireRequest } from './independent-signature.js';
import { SIGNATURE_VECTORS } from './signature-vectors.js';

const secrets = ['application-secret'];

function asSigned(request: WireRequest): SignedRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), [value]]);
  return { ...request, headers: Object.fromEntries(headers) };
}

describe('the golden vectors', () => {
  it.each(SIGNATURE_VECTORS)('$name', (vector) => {
    const request = asSigned({ ...vector, body: Buffer.from(vector.bodyBase64, 'base64') });
    const result = verifyNotification(request, { secrets: vector.secrets });
    expect(result.authentic ? { authentic: true } : { authentic: false, why: result.failed }).toEqual({
      authentic: vector.authentic,
      ...(vector.why === undefined ? {} : { why: vector.why }),
    });
  });
});

describe('verifyNotification', () => {
  const signed = signIndependently({ body: '{"what":"started"}', target: '/callback?a=1' });

  it('tells which of several secrets signed', () => {
    const result = verifyNotification(asSigned(signed), { secrets: ['newer', 'application-secret'] });
    expect(result).toMatchObject({ authentic: true, secretIndex: 1 });
  });

  it.each(['authorization', 'x-svc-content-sha256', 'x-svc-timestamp', 'content-type'])(
    'takes no request with %s twice, even if both are the same',
    (name) => {
      const request = asSigned(signed);
      request.headers[name] = [...(request.headers[name] ?? []), ...(request.headers[name] ?? [])];
      expect(verifyNotification(request, { secrets })).toMatchObject({ authentic: false, failed: 'repeated-header' });
    },
  );

  it('looks for the headers of the brand it is told', () => {
    const branded = asSigned(signIndependently({ body: 'x', brand: 'Acme' }));
    expect(verifyNotification(branded, { secrets, brand: 'ACME' })).toMatchObject({ authentic: true });
    expect(verifyNotification(branded, { secrets })).toMatchObject({ authentic: false, failed: 'missing-header' });
  });

  it('verifies a request without a content type, signed without one', () => {
    const bare = asSigned(signIndependently({ body: 'x', contentType: '' }));
    delete bare.headers['content-type'];
    expect(verifyNotification(bare, { secrets })).toMatchObject({ authentic: true });
  });

  it.each([
    ['hex', (signature: string) => Buffer.from(signature, 'base64').toString('hex')],
    ['without padding', (signature: string) => signature.replace('=', '')],
    ['followed by more', (signature: string) => `${signature} x`],
    ['empty', () => ''],
  ])('refuses a signature %s', (_name, change) => {
    const request = asSigned(signed);
    const signature = (request.headers.authorization?.[0] ?? '').slice('HMAC-SHA256 '.length);
    request.headers.authorization = [`HMAC-SHA256 ${change(signature)}`];
    expect(verifyNotification(request, { secrets })).toMatchObject({ authentic: false, failed: 'signature' });
  });

  describe('with a tolerance', () => {
    const now = Date.parse('2026-09-21T14:13:20Z');
    const at = (timestamp: string) =>
      verifyNotification(asSigned(signIndependently({ body: 'x', timestamp })), { secrets, toleranceS: 60, now });
    const seconds = now / 1000;

    it.each([
      ['now', seconds, true],
      ['just within the tolerance', seconds - 60, true],
      ['too old', seconds - 62, false],
      ['5 minutes ahead', seconds + 300, true],
      ['further ahead', seconds + 302, false],
    ])('%s', (_name, timestamp, authentic) => {
      expect(at(String(timestamp)).authentic).toBe(authentic);
      expect(at(String(timestamp * 1000)).authentic).toBe(authentic);
    });

    it('refuses what is no UNIX time, after the signature', () => {
      expect(at('yesterday')).toMatchObject({ authentic: false, failed: 'timestamp' });
      expect(at('-1')).toMatchObject({ authentic: false, failed: 'timestamp' });
    });
  });

  it('refuses any request of which one byte is another', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
    const target = fc.stringMatching(/^\/[!-~]{0,60}$/);
    const method = fc.constantFrom('GET', 'POST', 'PUT');
    const place = fc.record({
      part: fc.constantFrom(
        'body',
        'target',
        'method',
        'authorization',
        'content-type',
        'x-svc-content-sha256',
        'x-svc-timestamp',
      ),
      at: fc.nat(),
      bit: fc.integer({ min: 0, max: 6 }),
    });
    fc.assert(
      fc.property(bytes, target, method, place, (body, path, verb, change) => {
        const request = asSigned(signIndependently({ method: verb, target: path, body: Buffer.from(body) }));
        expect(verifyNotification(request, { secrets }).authentic).toBe(true);
        const other = flipped(request, change);
        // The last digit of a Base64 text has bits that mean nothing: then it still is the same signature.
        fc.pre(change.part !== 'authorization' || !signatureOf(other).equals(signatureOf(request)));
        expect(verifyNotification(other, { secrets }).authentic).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever the headers and the body are', () => {
    const values = fc.option(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), { nil: undefined });
    const headers = fc.record({
      authorization: values,
      'content-type': values,
      'x-svc-content-sha256': values,
      'x-svc-timestamp': values,
    });
    fc.assert(
      fc.property(headers, fc.uint8Array(), fc.string(), (named, body, target) => {
        const request = { method: 'POST', target, headers: named, body: Buffer.from(body) };
        expect(verifyNotification(request, { secrets, toleranceS: 10 }).authentic).toBe(false);
      }),
    );
  });
});

describe('signNotification', () => {
  it.each(SIGNATURE_VECTORS.filter((vector) => vector.authentic))('signs as the vector "$name" is signed', (vector) => {
    const headers = signNotification({
      secret: vector.secrets.at(-1) ?? '',
      method: vector.method,
      target: vector.target,
      body: Buffer.from(vector.bodyBase64, 'base64'),
      contentType: vector.headers['Content-Type'] ?? '',
      timestamp: vector.headers['X-Svc-Timestamp'] ?? '',
    });
    expect(headers).toEqual(vector.headers);
  });

  it('signs targets of any Latin-1 byte as those bytes', () => {
    const request = { secret: 's', method: 'POST', target: '/caf\u00e9\u00ff', body: 'x', timestamp: '1' };
    expect(signNotification(request).Authorization).toBe(signIndependently(request).headers.Authorization);
  });
});

describe('stringToSign', () => {
  it('puts the parts together in the order of the contract, with nothing between', () => {
    const parts = { method: 'POST', target: '/c?d', digest: 'DIGEST', contentType: 'text/plain', timestamp: '17' };
    expect(stringToSign(parts)).toBe('POST/c?dDIGESTtext/plain17');
  });
});

function signatureOf(request: SignedRequest): Buffer {
  const [scheme, signature = ''] = (request.headers.authorization?.[0] ?? '').split(' ');
  return scheme === 'HMAC-SHA256' ? Buffer.from(signature, 'base64') : Buffer.alloc(0);
}

/** The request with one bit of one part flipped. */
function flipped(request: SignedRequest, change: { part: string; at: number; bit: number }): SignedRequest {
  const flip = (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const index = change.at % copy.length;
    copy[index] = (copy[index] ?? 0) ^ (1 << change.bit);
    return copy;
  };
  const flipText = (text: string) => flip(Buffer.from(text, 'latin1')).toString('latin1');
  if (change.part === 'body') return { ...request, body: flip(request.body) };
  if (change.part === 'target') return { ...request, target: flipText(request.target) };
  if (change.part === 'method') return { ...request, method: flipText(request.method) };
  const value = request.headers[change.part]?.[0] ?? '';
  return { ...request, headers: { ...request.headers, [change.part]: [flipText(value)] } };
}

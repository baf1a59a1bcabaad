import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { explainMismatch, type MismatchOptions } from '../../src/protocol/explain-mismatch.js';
import { describeCause } from '../../src/protocol/mismatch/cause.js';
import type { SignedRequest } from '../../src/protocol/signature.js';

const SECRET = 'c2VjcmV0';
const SECONDS = '1790000000';
const MESSAGE = {
  what: 'started',
  data: { streamId: 'us-east#1/é', tags: ['a'] },
  timestamp: '2026-09-21T14:13:19.123Z',
};
const BODY = Buffer.from(JSON.stringify(MESSAGE));

function sha256(bytes: string | Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** A request as it arrives, and in `signed` the parts of the string to sign that the sender made otherwise. */
interface Arrival {
  method?: string;
  target?: string;
  contentType?: string;
  timestamp?: string;
  body?: string | Buffer;
  digest?: string;
  headers?: Record<string, string>;
  brand?: string;
  signed?: Partial<Record<'method' | 'target' | 'digest' | 'contentType' | 'timestamp', string>>;
  key?: string | Buffer;
  /** Of method, target, digest, content type, timestamp. */
  layout?: (parts: string[]) => string;
  /** Of the signature's bytes; the value of Authorization. */
  authorization?: (signature: Buffer) => string;
}

/** Makes such a request with nothing of the code under test. */
function arrive(arrival: Arrival): SignedRequest {
  const { method = 'POST', target = '/callback', contentType = 'application/json', timestamp = SECONDS } = arrival;
  const { brand = 'svc', key = SECRET, layout = (parts) => parts.join(''), headers = {} } = arrival;
  const { authorization = (signature) => `HMAC-SHA256 ${signature.toString('base64')}` } = arrival;
  const body = Buffer.from((arrival.body ?? BODY) as string);
  const digest = arrival.digest ?? sha256(body).toString('base64');
  const signed = { method, target, digest, contentType, timestamp, ...arrival.signed };
  const message = layout([signed.method, signed.target, signed.digest, signed.contentType, signed.timestamp]);
  const signature = createHmac('sha256', key).update(Buffer.from(message, 'latin1')).digest();
  const others = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return {
    method,
    target,
    headers: {
      authorization: [authorization(signature)],
      ...(contentType === '' ? {} : { 'content-type': [contentType] }),
      [`x-${brand}-content-sha256`]: [digest],
      [`x-${brand}-timestamp`]: [timestamp],
      ...Object.fromEntries(others),
    },
    body,
  };
}

/** The causes, a sentence each. A mismatch that is explained leaves nothing open. */
function explain(arrival: Arrival, options: Partial<MismatchOptions> = {}): string[] {
  const mismatch = explainMismatch(arrive(arrival), { secrets: [SECRET], ...options });
  expect(mismatch).toMatchObject({ remains: [] });
  return (mismatch?.causes ?? []).map((cause) => `${cause.name}: ${describeCause(cause)}`);
}

/** One cause explains it, and its sentence has these words. */
function expectCause(arrival: Arrival, name: string, words: string, options: Partial<MismatchOptions> = {}): void {
  const causes = explain(arrival, options);
  expect(causes).toHaveLength(1);
  expect(causes[0]?.startsWith(`${name}: `) ? name : causes[0]).toBe(name);
  expect(causes[0]).toContain(words);
}

type Case = [what: string, arrival: Arrival, cause: string, words: string, options?: Partial<MismatchOptions>];

function expectRow([, arrival, cause, words, options]: Case): void {
  expectCause(arrival, cause, words, options);
}

describe('explainMismatch', () => {
  describe('the path', () => {
    const at = (target: string, signed: string, headers = {}): Arrival => ({
      target,
      signed: { target: signed },
      headers,
    });

    it.each<Case>([
      [
        'stripped of a prefix that is named',
        at('/callback', '/a/callback'),
        'base-path',
        'the sender signed the path /a/callback, not /callback: set PUBLIC_BASE_PATH=/a',
        { basePaths: ['/a'] },
      ],
      [
        'stripped of a part of the prefix that is named',
        at('/c?x', '/a/b/c?x'),
        'base-path',
        'set PUBLIC_BASE_PATH=/a/b',
        { basePaths: ['/a/b/d'] },
      ],
      ['stripped of a common prefix', at('/callback', '/api/callback'), 'base-path', 'set PUBLIC_BASE_PATH=/api'],
      [
        'stripped of what X-Forwarded-Prefix has',
        at('/callback', '/deep/er/callback', { 'x-forwarded-prefix': '/deep/er' }),
        'base-path',
        'set PUBLIC_BASE_PATH=/deep/er',
      ],
      ['stripped to the root', at('/', '/zz/', {}), 'base-path', 'set PUBLIC_BASE_PATH=/zz', { basePaths: ['/zz'] }],
      [
        'rewritten, X-Original-URI has it',
        at('/inner', '/outer/cb', { 'x-original-uri': '/outer/cb' }),
        'base-path',
        'the path /outer/cb, not /inner: have what stands in front of Sluice pass the path on',
      ],
      [
        'rewritten with its query, X-Original-URL has it',
        at('/inner', '/outer?b=2', { 'x-original-url': 'https://example.com/outer?b=2' }),
        'original-target',
        'x-original-url',
      ],
      [
        'given a prefix',
        at('/a/b/callback', '/callback'),
        'path-prefix',
        'the sender signed the path /callback, not /a/b/callback: have what stands in front',
      ],
      [
        'rewritten to another than that of the callback',
        at('/inner?x', '/callback?x'),
        'callback-path',
        'the path /callback, not /inner',
        { callbackPath: '/callback' },
      ],
      [
        'rewritten to another than that of the callback, and its prefix stripped',
        at('/inner', '/a/b/hook/'),
        'callback-path',
        'the path /a/b/hook/, not /inner',
        { callbackPath: '/hook/', basePaths: ['/a/b'] },
      ],
      ['given a prefix before the root', at('/a', '/'), 'path-prefix', 'the sender signed the path /, not /a'],
      [
        'given a prefix by PUBLIC_BASE_PATH',
        at('/a/callback', '/callback'),
        'path-prefix',
        'leave PUBLIC_BASE_PATH out',
        { publicBasePath: '/a' },
      ],
      [
        'given too long a prefix by PUBLIC_BASE_PATH',
        at('/a/b/callback', '/b/callback'),
        'path-prefix',
        'set PUBLIC_BASE_PATH=/b',
        { publicBasePath: '/a/b' },
      ],
      ['given a slash at its end', at('/callback/?a', '/callback?a'), 'trailing-slash', 'without a slash'],
      ['robbed of the slash at its end', at('/callback?a', '/callback/?a'), 'trailing-slash', 'with a slash'],
      ['signed without its first slash', at('/callback', 'callback'), 'leading-slash', 'the path callback'],
    ])('%s', (...row) => expectRow(row));
  });

  describe('the rest of the target', () => {
    const at = (target: string, signed: string, headers = {}): Arrival => ({
      target,
      signed: { target: signed },
      headers,
    });
    const host = { host: 'callbacks.example.com:8443' };
    const latin1 = (text: string) => Buffer.from(text).toString('latin1');

    it.each<Case>([
      ['signed without its query', at('/c?a=1', '/c'), 'query-left-out', 'sign path and query'],
      ['signed with an empty query', at('/c', '/c?'), 'query-mark', '"?"'],
      ['signed without the question mark', at('/c?a', '/ca'), 'query-mark', '"?"'],
      [
        'signed with a query that only X-Forwarded-Uri still has',
        at('/c', '/c?a=1', { 'x-forwarded-uri': '/c?a=1' }),
        'original-target',
        '/c?a=1',
      ],
      ['a flag that was given a value', at('/c?a=1&flag=', '/c?a=1&flag'), 'query-rewritten', 'without "="'],
      ['a flag that was signed with a value', at('/c?flag&a=1', '/c?flag=&a=1'), 'query-rewritten', 'with "="'],
      ['a query in another order', at('/c?b=2&a=1', '/c?a=1&b=2'), 'query-rewritten', 'alphabetical'],
      ['percent-decoded', at('/caf%C3%A9?a=%2F', latin1('/café?a=/')), 'target-encoding', 'the target percent-decoded'],
      [
        'with its path alone percent-decoded',
        at('/a%20b?a=%2F', '/a b?a=%2F'),
        'target-encoding',
        'the path percent-decoded',
      ],
      [
        'with its query alone percent-decoded',
        at('/a%20b?a=%2F', '/a%20b?a=/'),
        'target-encoding',
        'the query percent-decoded',
      ],
      [
        'percent-encoded',
        at(latin1('/café?a={1}'), '/caf%C3%A9?a=%7B1%7D'),
        'target-encoding',
        'the target percent-encoded',
      ],
      ['percent-encoded as one value', at('/c?a=1', '%2Fc%3Fa%3D1'), 'target-encoding', 'as one value'],
      ['percent-encoded twice', at('/a%20b', '/a%2520b'), 'target-encoding', 'encoded again'],
      ['percent-encoded in lower case', at('/a%2Fb', '/a%2fb'), 'target-encoding', 'lower-case'],
      ['percent-encoded in upper case', at('/a%2fb', '/a%2Fb'), 'target-encoding', 'upper-case'],
      ['with spaces as plus signs', at('/c?a=b%20c', '/c?a=b+c'), 'target-encoding', '"+"'],
      ['with plus signs as spaces', at('/c?a=b+c', '/c?a=b%20c'), 'target-encoding', '"%20"'],
      [
        'the whole URL, https',
        at('/c?a=1', 'https://callbacks.example.com:8443/c?a=1', host),
        'full-url',
        'have the sender sign path and query alone',
      ],
      [
        'the whole URL, http, without the port',
        at('/c', 'http://callbacks.example.com/c', host),
        'full-url',
        'http://callbacks.example.com/c',
      ],
      ['host and path', at('/c', 'callbacks.example.com:8443/c', host), 'full-url', 'callbacks.example.com:8443/c'],
      [
        'the URL of the proxy in front',
        at('/c', 'https://public.example.com/c', { 'x-forwarded-host': 'public.example.com', ...host }),
        'full-url',
        'https://public.example.com/c',
      ],
      ['left out', at('/c?a=1', ''), 'target-left-out', 'left path and query out'],
    ])('%s', (...row) => expectRow(row));
  });

  describe('method, content type, timestamp, digest', () => {
    const ms = { timestamp: '1790000000123' };

    it.each<Case>([
      ['GET signed, POST arrived', { method: 'POST', signed: { method: 'GET' } }, 'method', 'the method GET, not POST'],
      ['POST signed, PUT arrived', { method: 'PUT', signed: { method: 'POST' } }, 'method', 'the method POST, not PUT'],
      ['PUT signed, GET arrived', { method: 'GET', signed: { method: 'PUT' } }, 'method', 'the method PUT, not GET'],
      ['the method in lower case', { signed: { method: 'post' } }, 'method', 'lower case'],
      ['no method', { signed: { method: '' } }, 'method-left-out', 'left the method out'],
      ['no content type signed', { signed: { contentType: '' } }, 'content-type-left-out', 'left the content type out'],
      [
        'a content type signed, none arrived',
        { contentType: '', signed: { contentType: 'application/json' } },
        'content-type',
        'application/json; none arrived',
      ],
      [
        'signed with a charset, arrived without',
        { signed: { contentType: 'application/json; charset=utf-8' } },
        'content-type',
        'application/json; charset=utf-8; application/json arrived',
      ],
      [
        'signed without a charset, arrived with one',
        { contentType: 'text/json;charset=iso-8859-1', signed: { contentType: 'text/json' } },
        'content-type',
        'the content type text/json;',
      ],
      [
        'a charset in capitals',
        { contentType: 'application/json;charset=utf-8', signed: { contentType: 'application/json;charset=UTF-8' } },
        'content-type',
        'UTF-8',
      ],
      [
        'milliseconds signed, seconds arrived',
        { signed: { timestamp: `${SECONDS}000` } },
        'timestamp',
        'in milliseconds',
      ],
      [
        'seconds signed, milliseconds arrived',
        { ...ms, signed: { timestamp: SECONDS } },
        'timestamp',
        'in seconds (1790000000)',
      ],
      ['seconds with a fraction signed', { ...ms, signed: { timestamp: '1790000000.123' } }, 'timestamp', 'a fraction'],
      ['RFC 3339 signed', { ...ms, signed: { timestamp: '2026-09-21T14:13:20.123Z' } }, 'timestamp', 'RFC 3339'],
      ["the message's timestamp signed", { signed: { timestamp: MESSAGE.timestamp } }, 'timestamp', 'of the message'],
      ['no timestamp signed', { signed: { timestamp: '' } }, 'timestamp-left-out', 'left the timestamp out'],
      [
        'the digest signed in hex',
        { signed: { digest: sha256(BODY).toString('hex') } },
        'signed-digest',
        'the digest in hex',
      ],
      [
        'the digest of an empty body signed',
        { signed: { digest: sha256('').toString('base64') } },
        'signed-digest',
        'an empty body',
      ],
      [
        'the digest signed as bytes',
        { signed: { digest: sha256(BODY).toString('latin1') } },
        'signed-digest',
        'raw bytes',
      ],
      ['no digest signed', { signed: { digest: '' } }, 'digest-left-out', 'left the digest out'],
      [
        'the body signed in its place',
        { signed: { digest: BODY.toString('latin1') } },
        'signed-digest',
        'signed the body',
      ],
    ])('%s', (...row) => expectRow(row));
  });

  describe('the secret', () => {
    const rotating = { secrets: ['new-secret', 'old-secret'] };

    it.each<Case>([
      ['with a newline at its end', { key: `${SECRET}\n` }, 'secret', 'a newline at its end'],
      ['with a carriage return and a newline', { key: `${SECRET}\r\n` }, 'secret', 'a carriage return and a newline'],
      ['with a space at its end', { key: `${SECRET} ` }, 'secret', 'a space at its end'],
      ['with a space before it', { key: ` ${SECRET}` }, 'secret', 'a space before it'],
      [
        'with white space here alone',
        { key: SECRET },
        'secret',
        'the secret here has white space',
        { secrets: [`${SECRET}\n`] },
      ],
      ['in quotes', { key: `"${SECRET}"` }, 'secret', 'quotes around it'],
      ['in quotes here alone', { key: SECRET }, 'secret', 'the secret here has quotes', { secrets: [`'${SECRET}'`] }],
      ['decoded from Base64', { key: Buffer.from(SECRET, 'base64') }, 'secret', 'decoded the secret from Base64'],
      [
        'decoded from hex',
        { key: Buffer.from('00ff10', 'hex') },
        'secret',
        'decoded the secret from hex',
        { secrets: ['00FF10'] },
      ],
      ['encoded in Base64', { key: Buffer.from(SECRET).toString('base64') }, 'secret', 'encoded the secret in Base64'],
      ['empty', { key: '' }, 'secret', 'is empty'],
      ['the whole list', { key: 'new-secret,old-secret' }, 'secret', 'the whole list', rotating],
      ['the older one, with a newline', { key: 'old-secret\n' }, 'secret', 'a newline', rotating],
    ])('%s', (...row) => expectRow(row));
  });

  describe('the string to sign', () => {
    const joined = (separator: string): Arrival => ({ layout: (parts) => parts.join(separator) });

    it.each<Case>([
      ['with newlines between the parts', joined('\n'), 'layout', 'newlines between'],
      ['with dots between the parts', joined('.'), 'layout', 'dots between'],
      ['with spaces between the parts', joined(' '), 'layout', 'spaces between'],
      [
        'with a newline after each part',
        { layout: (parts) => parts.map((part) => `${part}\n`).join('') },
        'layout',
        'newlines after each',
      ],
      [
        'with the timestamp first',
        { layout: ([a, b, c, d, e]) => [e, a, b, c, d].join('') },
        'layout',
        'in the order timestamp, method, target, digest, content type',
      ],
      [
        'with two parts exchanged and newlines',
        { layout: ([a, b, c, d, e]) => [a, b, d, c, e].join('\n') },
        'layout',
        'with newlines between them',
      ],
    ])('%s', (...row) => expectRow(row));
  });

  describe('how the signature headers are written', () => {
    const encoded = (encoding: BufferEncoding): Arrival => ({
      authorization: (signature) => `HMAC-SHA256 ${signature.toString(encoding)}`,
    });
    const scheme = (before: string): Arrival => ({
      authorization: (signature) => before + signature.toString('base64'),
    });

    it.each<Case>([
      ['a signature in hex', encoded('hex'), 'signature-encoding', 'in hex'],
      [
        'a signature without padding',
        { authorization: (bytes) => `HMAC-SHA256 ${bytes.toString('base64').replace('=', '')}` },
        'signature-encoding',
        'padding',
      ],
      [
        'a signature in Base64 of its hex digits',
        { authorization: (bytes) => `HMAC-SHA256 ${Buffer.from(bytes.toString('hex')).toString('base64')}` },
        'signature-encoding',
        'hex digits',
      ],
      [
        'a signature in quotes',
        { authorization: (bytes) => `HMAC-SHA256 "${bytes.toString('base64')}"` },
        'signature-encoding',
        'in quotes',
      ],
      ['no scheme', scheme(''), 'scheme', 'no scheme before the signature'],
      ['the scheme in lower case', scheme('hmac-sha256 '), 'scheme', 'not written as it should be'],
      ['the scheme with an equals sign', scheme('HMAC-SHA256='), 'scheme', 'not written as it should be'],
      ['the scheme with two spaces', scheme('HMAC-SHA256  '), 'scheme', 'one space'],
      ['another scheme', scheme('Bearer '), 'scheme', 'the scheme Bearer, not HMAC-SHA256'],
      ['a digest in hex', { digest: sha256(BODY).toString('hex') }, 'digest-encoding', 'in hex'],
      [
        'a digest in the Base64 of URLs',
        { body: 'd', digest: sha256('d').toString('base64url') },
        'digest-encoding',
        'the Base64 of URLs',
      ],
      ['another brand', { brand: 'acme' }, 'brand', 'set HEADER_BRAND=acme'],
    ])('%s', (...row) => expectRow(row));

    it('a signature in the Base64 of URLs', () => {
      // Only where it has a digit that ordinary Base64 has not.
      const timestamps = Array.from({ length: 50 }, (_, index) => String(1_790_000_000 + index));
      const arrival = timestamps
        .map((timestamp) => ({ ...encoded('base64url'), timestamp }))
        .find((each) => /[-_]/.test(arrive(each).headers.authorization?.[0]?.slice('HMAC-SHA256 '.length) ?? ''));
      expectCause(arrival ?? {}, 'signature-encoding', 'the Base64 of URLs');
    });

    it('an Authorization that a gateway renamed', () => {
      const { authorization, ...headers } = arrive({}).headers;
      const request = { ...arrive({}), headers: { ...headers, 'x-amzn-remapped-authorization': authorization } };
      expect(explainMismatch(request, { secrets: [SECRET] })?.causes).toMatchObject([
        { name: 'authorization-renamed', finding: expect.stringContaining('x-amzn-remapped-authorization') },
      ]);
    });

    it('a header that is there twice', () => {
      const request = arrive({});
      request.headers['x-svc-timestamp'] = [SECONDS, SECONDS];
      expect(explainMismatch(request, { secrets: [SECRET] })?.causes).toMatchObject([
        { name: 'repeated-header', finding: expect.stringContaining('x-svc-timestamp header is there 2 times') },
      ]);
    });
  });

  describe('the body', () => {
    const pretty = JSON.stringify(MESSAGE, null, 2);
    /** `sent` arrived, `hashed` was hashed; everything else is as it should be. */
    const body = (sent: string, hashed: string): Arrival => ({ body: sent, digest: sha256(hashed).toString('base64') });
    const json = BODY.toString();

    it.each<Case>([
      ['compact when hashed, indented when sent', body(pretty, json), 'body-serialised', 'written as compact JSON'],
      ['indented by 2 spaces when hashed', body(json, pretty), 'body-serialised', '2 spaces'],
      ['indented by 4 spaces when hashed', body(json, JSON.stringify(MESSAGE, null, 4)), 'body-serialised', '4 spaces'],
      ['indented by tabs when hashed', body(json, JSON.stringify(MESSAGE, null, '\t')), 'body-serialised', 'tabs'],
      [
        'indented and with a newline when hashed',
        body(json, `${pretty}\n`),
        'body-serialised',
        'with a newline at its end',
      ],
      [
        'with spaces after colons and commas when hashed',
        body('{"a":[1,{"b":null}],"c":"d,e:f"}', '{"a": [1, {"b": null}], "c": "d,e:f"}'),
        'body-serialised',
        'spaces after colons',
      ],
      [
        'as Python writes it when hashed',
        body('{"a":"é","b":1}', '{"a": "\\u00e9", "b": 1}'),
        'body-serialised',
        'beyond ASCII escaped',
      ],
      ['with slashes escaped when hashed', body('{"a":"b/c"}', '{"a":"b\\/c"}'), 'body-serialised', 'slashes escaped'],
      ['a newline at its end when hashed', body(json, `${json}\n`), 'trailing-newline', 'with a newline'],
      ['no newline at its end when hashed', body(`${json}\n`, json), 'trailing-newline', 'without the newline'],
      ['no JSON, a newline at its end when hashed', body('text', 'text\n'), 'trailing-newline', 'with a newline'],
      ['Windows line ends when sent', body('a\r\nb', 'a\nb'), 'line-ends', 'Unix line ends'],
      ['Windows line ends when hashed', body('a\nb', 'a\r\nb'), 'line-ends', 'Windows line ends'],
      ['the digest of an empty body', body(json, ''), 'empty-body', 'an empty body'],
      ['lost on its way', { ...body('', json), method: 'GET' }, 'body-lost', 'POST'],
      [
        'cut on its way',
        { ...body(json.slice(0, 30), json), headers: { 'content-length': String(json.length) } },
        'body-cut',
        `announces ${json.length} bytes, and 30 are here`,
      ],
    ])('%s', (...row) => expectRow(row));

    it('changed on its way, beyond recognition: says that all else is right', () => {
      const mismatch = explainMismatch(arrive(body(json, json.replace('started', 'ended'))), { secrets: [SECRET] });
      expect(mismatch?.causes).toEqual([]);
      expect(mismatch?.remains).toEqual([
        expect.stringContaining('the body was changed on its way'),
        expect.stringContaining('only the body is another'),
      ]);
    });

    it('nested so deep that writing it again would take long: is not written again', () => {
      const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
      const mismatch = explainMismatch(arrive(body(deep, 'other')), { secrets: [SECRET] });
      expect(mismatch?.remains[0]).toContain('changed on its way');
    });
  });

  describe('two causes at once', () => {
    it.each<[string, Arrival, string[]]>([
      [
        'a stripped prefix, a query left out',
        { target: '/c?a=1', signed: { target: '/api/c' } },
        ['base-path', 'query-left-out'],
      ],
      [
        'a stripped prefix, a slash at the end',
        { target: '/c', signed: { target: '/api/c/' } },
        ['trailing-slash', 'base-path'],
      ],
      [
        'another method, no content type',
        { signed: { method: 'PUT', contentType: '' } },
        ['method', 'content-type-left-out'],
      ],
      [
        'a whole URL, milliseconds',
        { headers: { host: 'h' }, signed: { target: 'https://h/callback', timestamp: `${SECONDS}000` } },
        ['full-url', 'timestamp'],
      ],
      [
        'newlines between, a secret from Base64',
        { layout: (parts) => parts.join('\n'), key: Buffer.from(SECRET, 'base64') },
        ['secret', 'layout'],
      ],
      [
        'a digest in hex, a signature in hex',
        { digest: sha256(BODY).toString('hex'), authorization: (bytes) => `HMAC-SHA256 ${bytes.toString('hex')}` },
        ['signature-encoding', 'digest-encoding'],
      ],
      [
        'another body hashed, another path signed',
        { digest: sha256(`${BODY}\n`).toString('base64'), signed: { target: '/v1/callback' } },
        ['trailing-newline', 'base-path'],
      ],
    ])('%s', (_what, arrival, names) => {
      expect(explain(arrival).map((cause) => cause.split(':')[0])).toEqual(names);
    });
  });

  describe('what fits nothing', () => {
    it('is most likely another secret', () => {
      const mismatch = explainMismatch(arrive({ key: 'another' }), { secrets: [SECRET] });
      expect(mismatch).toMatchObject({
        causes: [],
        remains: [expect.stringContaining("the sender's secret is another")],
      });
      expect(mismatch?.tried).toBeGreaterThan(1000);
    });

    it.each(['authorization', 'x-svc-content-sha256', 'x-svc-timestamp'])('says that there is no %s', (name) => {
      const request = arrive({});
      delete request.headers[name];
      const { remains } = explainMismatch(request, { secrets: [SECRET] }) ?? {};
      expect(remains).toHaveLength(1);
      expect(remains?.[0]?.toLowerCase()).toContain(`there is no ${name} header`);
    });

    it('says that there is no signature in Authorization', () => {
      const mismatch = explainMismatch(arrive({ authorization: () => 'Basic dXNlcjpwYXNz' }), { secrets: [SECRET] });
      expect(mismatch?.causes).toMatchObject([{ name: 'scheme' }]);
      expect(mismatch?.remains).toEqual([expect.stringContaining('32 bytes in Base64 were expected')]);
      expect(JSON.stringify(mismatch)).not.toContain('dXNlcjpwYXNz');
    });

    it('says that the digest is none', () => {
      const mismatch = explainMismatch(arrive({ digest: 'none' }), { secrets: [SECRET] });
      expect(mismatch).toMatchObject({
        causes: [],
        remains: [expect.stringContaining('no SHA-256 hash'), expect.anything()],
      });
    });
  });

  it('never explains an authentic request', () => {
    const arrival = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'get', ''),
      target: fc.stringMatching(/^\/[!-~\u00a0-\u00ff]{0,60}$/),
      contentType: fc.constantFrom('', 'application/json', 'application/json; charset=utf-8', 'text/plain'),
      timestamp: fc.constantFrom(SECONDS, '1790000000123', '1.5', ''),
      body: fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.json().map((json) => Buffer.from(json)),
      ),
      key: fc.string({ minLength: 1, maxLength: 20 }),
    });
    fc.assert(
      fc.property(arrival, fc.array(fc.string({ minLength: 1 }), { maxLength: 2 }), (each, others) => {
        const secrets = [...others, each.key];
        expect(explainMismatch(arrive(each), { secrets, basePaths: ['/a'] })).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('finds any base path that it is told of, for any path', () => {
    const path = fc.stringMatching(/^(\/[a-z0-9._~-]{1,8}){1,4}$/);
    fc.assert(
      fc.property(path, path, (prefix, target) => {
        const mismatch = explainMismatch(arrive({ target, signed: { target: prefix + target } }), {
          secrets: [SECRET],
          basePaths: [prefix],
        });
        expect(mismatch?.causes).toMatchObject([{ name: 'base-path', remedy: `set PUBLIC_BASE_PATH=${prefix}` }]);
      }),
    );
  });

  it('has neither secret nor signature in what it says, and nothing that a terminal obeys', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{16,24}$/);
    const cases = fc.constantFrom<Arrival>(
      {},
      { target: '/a\x1b[2J\x9b/callback', signed: { target: '/callback' } },
      { contentType: 'text/\x1b]0;x', signed: { method: 'GET' } },
      { headers: { 'x-forwarded-prefix': '/\x1b[2J' }, signed: { target: '/\x1b[2J/callback' } },
      { headers: { host: 'h\x1b[0m' }, signed: { target: 'https://h\x1b[0m/callback' } },
    );
    fc.assert(
      fc.property(secret, fc.constantFrom('', '\n', ' ', 'x'), cases, (key, more, arrival) => {
        const request = arrive({ ...arrival, key: key + more });
        const mismatch = explainMismatch(request, { secrets: [key] });
        const said = [...(mismatch?.causes ?? []).map(describeCause), ...(mismatch?.remains ?? [])].join('\n');
        expect(said).not.toContain(key);
        expect(said).not.toContain(request.headers.authorization?.[0]?.slice('HMAC-SHA256 '.length));
        expect(said).toMatch(/^[\x20-\x7e\n…]*$/);
      }),
      { numRuns: 60 },
    );
  });

  it('never throws, whatever the headers and the body are', () => {
    const values = fc.option(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), { nil: undefined });
    const names = [
      'authorization',
      'content-type',
      'x-svc-content-sha256',
      'x-svc-timestamp',
      'x-original-uri',
      'host',
    ];
    const headers = fc.record(Object.fromEntries(names.map((name) => [name, values])));
    fc.assert(
      fc.property(headers, fc.uint8Array(), fc.string(), (named, body, target) => {
        const request = { method: 'POST', target, headers: named, body: Buffer.from(body) };
        expect(explainMismatch(request, { secrets: [SECRET] })).toBeDefined();
      }),
      { numRuns: 100 },
    );
  });
});

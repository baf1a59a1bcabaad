import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHECKS } from '../../src/protocol/signature.js';
import { signIndependently, toWire, type WireRequest } from '../protocol/independent-signature.js';
import { SIGNATURE_VECTORS } from '../protocol/signature-vectors.js';
import { createFolder, type RunOptions, SECRET, sluice } from './signing-program.js';

const BODY = '{"what":"started","data":{"streamId":"s","tags":["é"]}}';

/** The request as flags, but for its body. */
function asFlags({ method, target, headers }: WireRequest): string[] {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return ['--method', method, '--target', target, ...lines];
}

describe('sluice verify', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    folder = await createFolder();
  });
  afterAll(() => folder.remove());

  /** Verifies, and gives the report that `--json` prints. */
  async function verify(words: string[], options: RunOptions = {}) {
    const { code, out, err } = await sluice(['verify', '--json', ...words], options);
    expect({ code, err }).toEqual({ code: JSON.parse(out).authentic ? 0 : 1, err });
    return { ...JSON.parse(out), err };
  }
  const verifyWire = (bytes: Buffer | string, words: string[] = [], options: RunOptions = {}) =>
    verify(['--request', '-', ...words], { ...options, stdin: bytes });

  describe('the golden vectors', () => {
    it.each(SIGNATURE_VECTORS)('$name', async (vector) => {
      const file = await folder.write('vector.json', JSON.stringify(vector));
      const { authentic, checks } = await verify(['--vector', file], { env: { APPLICATION_SECRET: undefined } });
      const failed = checks.find(({ result }: { result: string }) => result === 'failed')?.check;
      expect({ authentic, failed }).toEqual({ authentic: vector.authentic, failed: vector.why });
    });
  });

  it.each(CHECKS)('says that the checks before %s are ok, and those after not reached', async (failing) => {
    const request = signIndependently({ body: BODY, timestamp: '1790000000' });
    const { Authorization: authorization = '', ...others } = request.headers;
    const headers = {
      'missing-header': others,
      'repeated-header': { ...request.headers, authorization },
      scheme: { ...request.headers, Authorization: authorization.replace('HMAC-SHA256', 'Basic') },
      digest: {
        ...request.headers,
        'X-Svc-Content-Sha256': signIndependently({ body: 'other' }).headers['X-Svc-Content-Sha256'] ?? '',
      },
      signature: { ...request.headers, 'X-Svc-Timestamp': '1790000001' },
      timestamp: request.headers,
    }[failing];
    const words = [...asFlags({ ...request, headers }), '--tolerance', '60', '--body', BODY];
    const { checks } = await verify(words);
    const at = CHECKS.indexOf(failing);
    expect(checks.map(({ check, result }: { check: string; result: string }) => [check, result])).toEqual(
      CHECKS.map((check, index) => [check, index < at ? 'ok' : index === at ? 'failed' : 'not reached']),
    );
    const { out, err } = await sluice(['verify', ...words]);
    expect(out).toContain(`${failing.padEnd(15)}  failed`);
    expect(err).toMatch(/^sluice: not authentic: [^\n]+$/);
  });

  it('prints what was expected, what was received, and what is signed', async () => {
    const request = signIndependently({ body: BODY, target: '/callback?a=1', timestamp: '1790000000' });
    const digest = request.headers['X-Svc-Content-Sha256'];
    const { out, code } = await sluice(['verify', ...asFlags(request), '-'], { stdin: `${BODY}\n` });
    expect(code).toBe(1);
    const other = signIndependently({ body: `${BODY}\n` }).headers['X-Svc-Content-Sha256'];
    expect(out).toContain(`digest expected  ${other}`);
    expect(out).toContain(`digest received  ${digest}`);
    expect(out).toContain(`string to sign   POST/callback?a=1${digest}application/json1790000000`);
    expect(out).toMatch(/signed at {8}2026-09-21T14:13:20.000Z {2}\(.+ ago\)/);
    expect(out).toMatch(/why {14}the digest is that of the body without the newline at its end: /);
  });

  it('tells which of several secrets signed', async () => {
    const request = signIndependently({ body: BODY });
    const words = [...asFlags(request), '--body', BODY];
    const env = { APPLICATION_SECRET: `newer,${SECRET}` };
    expect((await sluice(['verify', ...words], { env })).out).toContain('authentic, signed with secret 2 of 2');
    const flags = ['--secret', 'a', '--secret', `b,${SECRET}`];
    expect(await verify([...words, ...flags], { env: {} })).toMatchObject({ secret: { number: 3, of: 3 } });
  });

  it('checks the age of the timestamp where it is told how old it may be', async () => {
    const request = signIndependently({ body: BODY, timestamp: String(Math.floor(Date.now() / 1000) - 120) });
    const words = [...asFlags(request), '--body', BODY];
    const checkOf = async (tolerance: string[]) => (await verify([...words, ...tolerance])).checks.at(-1);
    expect(await checkOf([])).toMatchObject({ check: 'timestamp', result: 'not checked' });
    expect(await checkOf(['--tolerance', '180'])).toEqual({ check: 'timestamp', result: 'ok' });
    expect(await checkOf(['--tolerance', '60'])).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining('at most 60 s'),
    });
  });

  it('reads a timestamp that no calendar has', async () => {
    const request = signIndependently({ body: BODY, timestamp: '9999999999999999' });
    expect(await verify([...asFlags(request), '--body', BODY])).toMatchObject({ authentic: true });
  });

  describe('a whole request', () => {
    const request = signIndependently({ body: BODY, target: '/callback?flag' });

    it('as it went over the wire', async () => {
      const received: Buffer[] = [];
      const server = createServer((socket) => {
        socket.on('data', (chunk) => {
          received.push(chunk);
          if (!Buffer.concat(received).includes(']}')) return;
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback?a=%2F&flag`;
      const data = JSON.stringify({ tags: ['é'], last: [{}] });
      expect(await sluice(['send', 'started', '--method', 'GET', '--to', url, '--data', data])).toMatchObject({
        code: 0,
      });
      await new Promise((resolve) => server.close(resolve));
      const file = await folder.write('captured.http', Buffer.concat(received));
      expect(await verify(['--request', file])).toMatchObject({ authentic: true, err: '' });
    });

    it('with bare newlines, as an editor saves it', async () => {
      const text = toWire(request).toString('latin1').replaceAll('\r\n', '\n');
      expect(await verifyWire(Buffer.from(text, 'latin1'))).toMatchObject({ authentic: true, err: '' });
    });

    it('with more after its body than Content-Length says', async () => {
      const wire = Buffer.concat([toWire(request), Buffer.from('\n')]);
      const length = Buffer.byteLength(BODY);
      expect(await verifyWire(wire)).toMatchObject({
        authentic: true,
        err: `note: Content-Length is ${length}: what comes after was left out (bytes: 1)`,
      });
    });

    it('cut short', async () => {
      const report = await verifyWire(toWire(request).subarray(0, -10));
      expect(report).toMatchObject({ authentic: false, mismatch: { causes: [{ name: 'body-cut' }], remains: [] } });
      expect(report.err).toContain('note: Content-Length is');
    });

    it('without Content-Length', async () => {
      expect(await verifyWire(toWire(request, []))).toMatchObject({ authentic: true });
    });

    it('in chunks', async () => {
      const body = Buffer.from(BODY);
      const chunked = Buffer.concat([
        ...[Buffer.from('a;x=1\r\n'), body.subarray(0, 10), Buffer.from('\r\n')],
        ...[Buffer.from(`${(body.length - 10).toString(16)}\r\n`), body.subarray(10), Buffer.from('\r\n0\r\n\r\n')],
      ]);
      const head = toWire({ ...request, body: Buffer.alloc(0) }, ['Transfer-Encoding: chunked']);
      expect(await verifyWire(Buffer.concat([head, chunked]))).toMatchObject({ authentic: true, err: '' });
      const decoded = await verifyWire(Buffer.concat([head, body]));
      expect(decoded).toMatchObject({ authentic: true, err: expect.stringContaining('the body is not in chunks') });
    });

    it('with a URL for its target, as it is sent to a proxy', async () => {
      const wire = toWire({ ...request, target: `http://localhost${request.target}` });
      expect(await verifyWire(wire)).toMatchObject({ authentic: true });
    });

    it('with bytes beyond ASCII in its target', async () => {
      const bytes = signIndependently({ body: BODY, target: '/caf\u00c3\u00a9' });
      expect(await verifyWire(toWire(bytes))).toMatchObject({ authentic: true });
      // The same bytes, typed.
      const typed = asFlags({ ...bytes, target: '/café' });
      expect(await verify([...typed, '--body', BODY])).toMatchObject({ authentic: true });
    });

    it('without a body, and nothing but a request line', async () => {
      expect(await verifyWire('GET /callback')).toMatchObject({
        authentic: false,
        mismatch: { remains: [expect.stringContaining('there is no Authorization header')] },
      });
    });

    it.each(['', 'no request', 'POST', '{"method":"POST"}', 'POST /c HTTP/1.1\r\nno header\r\n\r\n'])(
      'that is none is a mistake of the caller: %j',
      async (stdin) => {
        const run = await sluice(['verify', '--request', '-'], { stdin });
        expect(run).toEqual({ code: 2, out: '', err: expect.stringContaining('--request: expected ') });
      },
    );
  });

  describe('why it is not authentic', () => {
    const elsewhere = (signed: string, arrived: string) => ({
      ...signIndependently({ body: BODY, target: signed }),
      target: arrived,
    });

    it('names the prefix to set', async () => {
      const request = elsewhere('/a/callback', '/callback');
      const run = await sluice(['verify', ...asFlags(request), '--body', BODY, '--public-base-path', '/a']);
      const why = 'the sender signed the path /a/callback, not /callback: set PUBLIC_BASE_PATH=/a';
      expect(run).toMatchObject({ code: 1, err: `sluice: not authentic: ${why}` });
      expect(run.out).toContain(`why              ${why}`);
    });

    it('puts back PUBLIC_BASE_PATH, as the service does, and says so', async () => {
      const words = [...asFlags(elsewhere('/a/callback', '/callback')), '--body', BODY];
      const env = { PUBLIC_BASE_PATH: '/a' };
      expect(await verify(words, { env })).toMatchObject({
        authentic: true,
        err: 'note: PUBLIC_BASE_PATH=/a was put back before the path',
      });
      const superfluous = [...asFlags(elsewhere('/callback', '/callback')), '--body', BODY];
      expect((await verify(superfluous, { env })).mismatch.causes).toMatchObject([
        { name: 'callback-path', remedy: 'leave PUBLIC_BASE_PATH out' },
      ]);
    });

    it('looks at the path of the callback', async () => {
      const words = [...asFlags(elsewhere('/hook/in', '/inner')), '--body', BODY];
      expect((await verify(words, { env: { CALLBACK_PATH: '/hook/in' } })).mismatch.causes).toMatchObject([
        { name: 'callback-path', finding: 'the sender signed the path /hook/in, not /inner' },
      ]);
    });

    it('names the brand to set, and looks for the one that is', async () => {
      const words = [...asFlags(signIndependently({ body: BODY, brand: 'Acme' })), '--body', BODY];
      expect((await verify(words)).mismatch.causes).toMatchObject([{ name: 'brand', remedy: 'set HEADER_BRAND=acme' }]);
      expect(await verify(words, { env: { HEADER_BRAND: 'acme' } })).toMatchObject({ authentic: true });
      expect(await verify([...words, '--brand', 'ACME'])).toMatchObject({ authentic: true });
    });

    it('says of another secret that it is most likely that, and prints none of them', async () => {
      const request = signIndependently({ body: BODY, secret: 'the-senders-own-secret' });
      for (const json of [[], ['--json']]) {
        const { code, out, err } = await sluice(['verify', ...asFlags(request), '--body', BODY, ...json]);
        expect(code).toBe(1);
        expect(err).toContain("most likely the sender's secret is another than the one known here");
        expect(out + err).not.toContain(SECRET);
        expect(out + err).not.toContain(request.headers.Authorization?.split(' ')[1]);
      }
    });

    it('prints nothing that a terminal would obey', async () => {
      const request = elsewhere('/callback', '/\x1b[2J\x9b/callback');
      request.headers['X-Svc-Content-Sha256'] = '\x1b]0;title\x07';
      for (const json of [[], ['--json']]) {
        const { out, err } = await sluice(['verify', '--request', '-', ...json], { stdin: toWire(request) });
        expect(out + err).toMatch(/^[\x20-\x7e\n…]+$/);
      }
    });
  });

  it.each<[string, string[], string]>([
    ['no body', ['-H', 'A: b'], 'expected a body'],
    ['a header without a name', ['--body', '', '-H', 'nothing'], '--header: expected headers such as "Name: value"'],
    ['a header of two lines', ['--body', '', '-H', 'A: b\r\nC: d'], '--header: expected headers'],
    ['a request in parts and as a whole', ['--request', 'f', '--method', 'GET'], 'cannot be used with'],
    ['a request and a vector', ['--request', 'f', '--vector', 'f'], 'cannot be used with'],
    ['a body beside a whole request', ['--request', 'f', 'body.json'], 'expected one request'],
    ['a file that is not there', ['--request', '/does/not/exist'], 'cannot read /does/not/exist (ENOENT)'],
    ['a tolerance that is no number', ['--body', '', '--tolerance', '1h'], 'Expected a whole number'],
    ['a base path that ends with a slash', ['--body', '', '--public-base-path', '/a/'], 'does not end with one'],
  ])('refuses %s', async (_what, words, message) => {
    expect(await sluice(['verify', ...words])).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it.each([
    ['no JSON', `{"secrets":["${SECRET}"`, 'expected JSON'],
    ['all of them', '[{},{}]', 'received an array of 2'],
    ['something else', '{"method":"POST"}', 'target: '],
  ])('refuses a vector that is %s', async (_what, stdin, message) => {
    const run = await sluice(['verify', '--vector', '-'], { stdin });
    expect(run).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
    expect(run.err).not.toContain(SECRET);
  });

  it('needs a secret', async () => {
    const run = await sluice(['verify', '--body', ''], { env: { APPLICATION_SECRET: undefined } });
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining('expected a secret') });
  });

  it('has help with an example', async () => {
    const { code, out } = await sluice(['verify', '--help']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('sluice verify --request captured.http') });
  });
});

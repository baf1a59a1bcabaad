import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIndependently } from '../protocol/independent-signature.js';
import { SIGNATURE_VECTORS } from '../protocol/signature-vectors.js';
import { createFolder, SECRET, sluice } from './signing-program.js';

const BODY = '{"what":"started","data":{"streamId":"s","tags":["é"]}}';
const AT = '1790000000';

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

describe('sluice sign', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  let file: string;
  beforeAll(async () => {
    folder = await createFolder();
    file = await folder.write('body.json', BODY);
  });
  afterAll(() => folder.remove());

  it.each<[string, () => string[], string]>([
    ['the flag --body', () => ['--body', BODY], ''],
    ['the flag --file', () => ['--file', file], ''],
    ['a file', () => [file], ''],
    ['standard input', () => ['-'], BODY],
    ['standard input, by --file', () => ['--file', '-'], BODY],
  ])('signs a body out of %s', async (_what, words, stdin) => {
    const run = await sluice(['sign', '--timestamp', AT, ...words()], { stdin });
    const { headers } = signIndependently({ body: BODY, timestamp: AT });
    expect(run).toEqual({ code: 0, out: lines(headers), err: '' });
  });

  it('signs what the flags say', async () => {
    const flags = ['--method', 'put', '--target', '/c?a=1&flag', '--content-type', 'text/plain', '--brand', 'Acme'];
    const { out } = await sluice(['sign', '--body', 'x', '--timestamp', '1790000000123', ...flags]);
    const { headers } = signIndependently({
      method: 'PUT',
      target: '/c?a=1&flag',
      contentType: 'text/plain',
      brand: 'Acme',
      body: 'x',
      timestamp: '1790000000123',
    });
    expect(out).toBe(lines(headers));
  });

  it.each(SIGNATURE_VECTORS.filter(({ authentic }) => authentic))('signs the vector "$name"', async (vector) => {
    const flags = [
      ...['--method', vector.method, '--target', vector.target, '--secret', vector.secrets.at(-1) ?? ''],
      ...[
        '--content-type',
        vector.headers['Content-Type'] ?? '',
        '--timestamp',
        vector.headers['X-Svc-Timestamp'] ?? '',
      ],
    ];
    const { out } = await sluice(['sign', '-', ...flags], { stdin: Buffer.from(vector.bodyBase64, 'base64') });
    expect(out).toBe(lines(vector.headers));
  });

  it('signs now, in seconds, unless told', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { out } = await sluice(['sign', '--body', 'x']);
    const at = Number(/X-Svc-Timestamp: (\d+)$/.exec(out)?.[1]);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('takes an RFC 3339 time', async () => {
    const { out } = await sluice(['sign', '--body', 'x', '--timestamp', '2026-09-21T14:13:20.999Z']);
    expect(out).toBe(lines(signIndependently({ body: 'x', timestamp: AT }).headers));
  });

  describe('the secret', () => {
    const signedWith = async (words: string[], env: Record<string, string | undefined>) => {
      const run = await sluice(['sign', '--body', 'x', '--timestamp', AT, ...words], { env });
      return run.code === 0 ? run.out : run;
    };
    const by = (secret: string) => lines(signIndependently({ body: 'x', timestamp: AT, secret }).headers);

    it('is that of --secret, else the first of the environment', async () => {
      expect(await signedWith(['--secret', 'other'], {})).toBe(by('other'));
      expect(await signedWith([], { APPLICATION_SECRET: 'newer, older' })).toBe(by('newer'));
    });

    it('may be in a file, or in that of --env-file', async () => {
      const secret = await folder.write('secret', 'of-the-file\n');
      const env = await folder.write('.env', 'APPLICATION_SECRET=of-the-env-file\n');
      expect(await signedWith([], { APPLICATION_SECRET: undefined, APPLICATION_SECRET_FILE: secret })).toBe(
        by('of-the-file'),
      );
      expect(await signedWith(['--env-file', env], {})).toBe(by(SECRET));
      expect(await signedWith(['--env-file', env], { APPLICATION_SECRET: undefined })).toBe(by('of-the-env-file'));
    });

    it('has to be there', async () => {
      expect(await signedWith([], { APPLICATION_SECRET: undefined })).toEqual({
        code: 2,
        out: '',
        err: 'sluice: expected a secret: set APPLICATION_SECRET or APPLICATION_SECRET_FILE, or use --secret',
      });
    });
  });

  it('prints JSON', async () => {
    const { out } = await sluice(['sign', '--body', 'é', '--timestamp', AT, '--target', '/c', '--json']);
    const { headers } = signIndependently({ body: 'é', target: '/c', timestamp: AT });
    expect(JSON.parse(out)).toEqual({
      method: 'POST',
      target: '/c',
      bodyBytes: 2,
      stringToSign: `POST/c${headers['X-Svc-Content-Sha256']}application/json${AT}`,
      headers,
    });
  });

  describe('--curl', () => {
    /** Has a shell run the command, with a curl that tells what it was given. */
    async function runInShell(command: string): Promise<{ argv: string[]; stdin: string }> {
      const tell =
        "let s='';process.stdin.setEncoding('base64').on('data',c=>s+=c).on('end',()=>console.log(JSON.stringify({argv:process.argv.slice(2),stdin:s})))";
      const script = await folder.write('tell.cjs', tell);
      await folder.write('curl', `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, 0o700);
      const env = { ...process.env, PATH: `${folder.path}:${process.env.PATH}` };
      const run = promisify(execFile)('sh', [await folder.write('command.sh', command)], { env, maxBuffer: 2 ** 22 });
      run.child.stdin?.end();
      return JSON.parse((await run).stdout);
    }
    const curl = (words: string[], stdin: string | Buffer = '') =>
      sluice(['sign', '--timestamp', AT, '--curl', 'http://localhost:3000/c?a=1&flag', ...words], { stdin });
    const headerFlags = (headers: Record<string, string>) =>
      Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);

    it.each([BODY, `it's "$(exit 1)" \`x\` \\n %s\n\n`, '@file', ''])('hands curl the very bytes: %j', async (body) => {
      const { out } = await curl(['-'], body);
      const { headers } = signIndependently({ body, target: '/c?a=1&flag', timestamp: AT });
      expect((await runInShell(out)).argv).toEqual([
        ...['--request', 'POST', 'http://localhost:3000/c?a=1&flag'],
        ...headerFlags(headers),
        ...['--data-raw', body],
      ]);
    });

    it.each([
      ['that is no text', Buffer.from([0, 255, 10, 13])],
      ['longer than an argument may be', Buffer.from('x'.repeat(200_000))],
    ])('pipes a body to it %s', async (_what, body) => {
      const { out } = await curl(['-'], body);
      const { argv, stdin } = await runInShell(out);
      expect(argv.slice(-2)).toEqual(['--data-binary', '@-']);
      expect(Buffer.from(stdin, 'base64').equals(body)).toBe(true);
    });

    it('names a file', async () => {
      const { out } = await curl([file]);
      expect((await runInShell(out)).argv.slice(-2)).toEqual(['--data-binary', `@${file}`]);
    });

    it('sends no patterns, and an empty content type as one', async () => {
      const words = ['--body', 'x', '--content-type', '', '--curl', 'http://localhost/c?a[0]={1}'];
      const { argv } = await runInShell((await curl(words)).out);
      expect(argv).toEqual(expect.arrayContaining(['--globoff', 'http://localhost/c?a[0]={1}', 'Content-Type;']));
    });

    it('signs another target than it calls where it is told to', async () => {
      const { out } = await curl(['--body', 'x', '--target', '/public/c']);
      const { headers } = signIndependently({ body: 'x', target: '/public/c', timestamp: AT });
      expect((await runInShell(out)).argv).toEqual(expect.arrayContaining(headerFlags(headers)));
    });

    it('is in the JSON too', async () => {
      const { out } = await curl(['--body', 'x', '--json']);
      expect(JSON.parse(out)).toMatchObject({ target: '/c?a=1&flag', curl: expect.stringMatching(/^curl /) });
    });
  });

  it.each<[string, string[], string]>([
    ['no body', [], 'expected a body'],
    ['two bodies', ['--body', 'x', 'body.json'], 'expected one body, received several'],
    ['a file that is not there', ['/does/not/exist'], 'cannot read /does/not/exist (ENOENT)'],
    ['another method', ['--body', 'x', '--method', 'PATCH'], 'Expected GET, POST or PUT'],
    ['a target without a slash', ['--body', 'x', '--target', 'callback'], 'starts with /'],
    ['a target that is not encoded', ['--body', 'x', '--target', '/é'], 'percent-encoded'],
    ['a timestamp that is none', ['--body', 'x', '--timestamp', 'yesterday'], 'Expected UNIX time'],
    ['a content type of two lines', ['--body', 'x', '--content-type', 'a\r\nb: c'], 'printable ASCII'],
    ['a brand that no header can have', ['--body', 'x', '--brand', 'a b'], "a header's name"],
    ['a URL that is not HTTP', ['--body', 'x', '--curl', 'file:///etc/passwd'], 'http:// or https://'],
    ['a URL with credentials', ['--body', 'x', '--curl', 'http://a:b@c/'], 'without credentials'],
    ['an unknown flag', ['--body', 'x', '--nothing'], '--nothing'],
    ['an environment file that is not there', ['--body', 'x', '--env-file', '/does/not/exist'], '--env-file'],
  ])('refuses %s', async (_what, words, message) => {
    const run = await sluice(['sign', ...words]);
    expect(run).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it.each([`${SECRET},`, ` , ${SECRET}`])('does not print a secret that it refuses', async (secret) => {
    const run = await sluice(['sign', '--body', 'x', '--secret', secret]);
    expect(run).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--secret: expected one secret') });
    expect(run.err).not.toContain(SECRET);
  });

  it('has help with examples', async () => {
    const { code, out } = await sluice(['sign', '--help']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('sluice sign --body') });
  });
});

import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../src/logger.js';

function collecting(options: { level?: string; pretty?: boolean } = {}) {
  let written = '';
  const destination = {
    write: (line: string) => {
      written += line;
    },
  };
  const log = createLogger({ level: 'info', pretty: false, ...options }, destination);
  return {
    log,
    text: () => written,
    lines: () =>
      written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

describe('createLogger', () => {
  it('writes JSON with ISO times, and nothing about the machine', () => {
    const { log, lines } = collecting();
    log.child({ component: 'receiver' }).info({ id: 'x' }, 'text');
    expect(lines()).toEqual([
      {
        level: 30,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        component: 'receiver',
        id: 'x',
        msg: 'text',
      },
    ]);
  });

  it('writes from its level on', () => {
    const { log, lines } = collecting({ level: 'warn' });
    log.info('not this');
    log.warn('this');
    expect(lines().map(({ msg }) => msg)).toEqual(['this']);
  });

  it.each([
    ['a secret', { secret: 'hush' }],
    ['several secrets', { secrets: ['hush', 'hush'] }],
    ['a token', { token: 'hush' }],
    ['a header', { headers: { authorization: 'hush' } }],
    ['the headers of a request', { req: { headers: { authorization: 'hush', cookie: 'hush' } } }],
    ['the configuration', { config: { secrets: ['hush'], adminToken: 'hush', forwardSecret: 'hush' } }],
    ['the environment', { env: { APPLICATION_SECRET: 'hush', ADMIN_TOKEN: 'hush', FORWARD_SECRET: 'hush' } }],
    ['the password of a URL', { redisUrl: 'rediss://user:hush@redis.example.com:6379/0' }],
    ['the password of a URL without a user', { at: ['redis://:hush@localhost'] }],
  ])('does not write %s', (_name, fields) => {
    const { log, text } = collecting();
    log.info(fields, 'a line');
    log.child(fields).info('a line of a child');
    expect(text()).not.toContain('hush');
    expect(text()).toContain('[redacted]');
  });

  it('does not write the password of a URL in a message or an error', () => {
    const { log, text } = collecting();
    const url = 'redis://user:hush@localhost:6379';
    log.error({ err: new Error(`cannot reach ${url}`, { cause: new Error(url) }) }, `gave up on ${url}`);
    expect(text()).not.toContain('hush');
    expect(text()).toContain('redis://user:[redacted]@localhost:6379');
  });

  it('leaves URLs without a password as they are', () => {
    const { log, lines } = collecting();
    log.info({ a: 'https://example.com:8443/a@b', b: 'http://user@host/' }, 'text');
    expect(lines()[0]).toMatchObject({ a: 'https://example.com:8443/a@b', b: 'http://user@host/' });
  });

  it('writes lines for a person where it is asked to, redacted too', () => {
    const { log, text } = collecting({ pretty: true });
    log.info({ secret: 'hush', id: 'x' }, 'text of the line');
    expect(text()).toMatch(/INFO.*: text of the line\n/);
    expect(text()).toContain('id: "x"');
    expect(text()).not.toContain('hush');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/config/config-error.js';
import { readConfig } from '../../src/config.js';

const enough = { APPLICATION_SECRET: 'a-secret' };
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-config-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

/** The lines of the error, without the first. */
function problemsOf(env: Record<string, string | undefined>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems.map(({ message }) => message);
  }
  return [];
}

describe('readConfig', () => {
  it('gives every default where only the secret is set', () => {
    expect(readConfig(enough)).toEqual({
      port: 3000,
      host: '0.0.0.0',
      callbackPath: '/callback',
      publicBasePath: '',
      applicationId: undefined,
      secrets: ['a-secret'],
      headerBrand: 'Svc',
      timestampToleranceS: 2700,
      bodyLimitBytes: 1_048_576,
      redisUrl: undefined,
      queuePrefix: '{sluice}',
      reorderWindowMs: 1000,
      reorderMissingStartMs: 10_000,
      dedupeWindowS: 3600,
      eventRetentionS: 86_400,
      failedRetentionS: 1_209_600,
      handlers: ['./handlers'],
      handlerConcurrency: 50,
      handlerAttempts: 5,
      handlerBackoffMs: 1000,
      handlerTimeoutMs: 30_000,
      forwardUrl: undefined,
      forwardSecret: undefined,
      role: 'all',
      adminPort: 3001,
      adminHost: '127.0.0.1',
      adminToken: undefined,
      dataDir: './data',
      shutdownTimeoutMs: 10_000,
      logLevel: 'info',
      warnings: [],
    });
  });

  it('reads each value into the type that its name says', () => {
    const config = readConfig({
      ...enough,
      PORT: '0',
      BODY_LIMIT: '1.5MB',
      HANDLERS: 'a.ts, b',
      ROLE: 'worker',
      REDIS_URL: 'rediss://u:p@redis:6380/2',
      PUBLIC_BASE_PATH: '/hooks/v1',
      FORWARD_URL: 'https://example.test/in',
      FORWARD_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ADMIN_HOST: '0.0.0.0',
      ADMIN_TOKEN: 'token',
      LOG_LEVEL: 'silent',
    });
    expect(config).toMatchObject({
      port: 0,
      bodyLimitBytes: 1_572_864,
      handlers: ['a.ts', 'b'],
      role: 'worker',
      redisUrl: 'rediss://u:p@redis:6380/2',
      publicBasePath: '/hooks/v1',
      forwardUrl: 'https://example.test/in',
      adminToken: 'token',
      logLevel: 'silent',
      warnings: [],
    });
  });

  it('takes an empty variable for one that is not set', () => {
    const config = readConfig({ ...enough, PORT: '', REDIS_URL: '', APPLICATION_SECRET_FILE: '', ROLE: '' });
    expect(config).toMatchObject({ port: 3000, redisUrl: undefined, role: 'all', secrets: ['a-secret'] });
  });

  it('cannot be changed', () => {
    const config = readConfig(enough) as { port: number };
    expect(() => {
      config.port = 1;
    }).toThrow(TypeError);
  });

  it('lists all problems at once, one line each, with what to do', () => {
    const error = (() => {
      try {
        readConfig({ PORT: 'http', BODY_LIMIT: 'big', ROLE: 'boss', CALLBACK_PATH: 'callback', DEDUPE_WINDOW_S: '60' });
      } catch (thrown) {
        return thrown as ConfigError;
      }
    })();
    expect(error).toBeInstanceOf(ConfigError);
    expect(error?.message.split('\n')).toEqual([
      'the configuration has 6 problems:',
      '  PORT: expected a whole number from 0 to 65535, received "http". Correct it, or leave it out for 3000.',
      '  CALLBACK_PATH: expected a path that starts with / and has no query, received "callback". Correct it, or leave it out for /callback.',
      '  BODY_LIMIT: expected a size such as 1mb or 500kb, from 1b to 1gb, received "big". Correct it, or leave it out for 1mb.',
      '  ROLE: expected one of all, receiver, worker, received "boss". Correct it, or leave it out for all.',
      "  APPLICATION_SECRET: expected the application's secret, received nothing. Set it, or APPLICATION_SECRET_FILE; the platform's account page has it. ROLE=worker needs none.",
      '  DEDUPE_WINDOW_S: expected at least TIMESTAMP_TOLERANCE_S (2700), received 60. Raise it, or lower TIMESTAMP_TOLERANCE_S: between the two, a recorded request would be taken for new.',
    ]);
  });

  it.each([
    ['PORT', ['65536', '-1', '3000.5', ' 3000', '0x10', '1e3']],
    ['ADMIN_PORT', ['65536', 'tcp://10.0.0.1:80']],
    ['HOST', ['localhost:3000', 'http://a', 'a b', '-a']],
    ['CALLBACK_PATH', ['callback', '/callback?a=b', '/a b', '/a#b', '/healthz']],
    ['PUBLIC_BASE_PATH', ['base', '/base/', '/', '/a?b']],
    ['APPLICATION_ID', ['a:b', 'a/b', 'a b']],
    ['HEADER_BRAND', ['My Brand', 'Brand:', 'Bränd', 'a\nb']],
    ['TIMESTAMP_TOLERANCE_S', ['-1', '45m']],
    ['BODY_LIMIT', ['0', '2gb', '1 apple', '1mb!']],
    [
      'REDIS_URL',
      ['localhost:6379', 'http://localhost', 'redis://', 'redis://h/db', 'redis://h?tls=1', 'redis://:%zz@h'],
    ],
    ['QUEUE_PREFIX', ['a b', ':a', 'a:']],
    ['REORDER_WINDOW_MS', ['1s', '2147483648']],
    ['HANDLERS', ['a,,b', ',']],
    ['HANDLER_CONCURRENCY', ['0', '10001']],
    ['HANDLER_ATTEMPTS', ['0']],
    ['HANDLER_TIMEOUT_MS', ['0']],
    ['FORWARD_URL', ['example.test', 'ftp://example.test']],
    ['FORWARD_SECRET', ['not base64!', 'whsec_', 'whsec_abc']],
    ['ADMIN_HOST', ['127.0.0.1:3001']],
    ['ADMIN_TOKEN', ['two words']],
    ['SHUTDOWN_TIMEOUT_MS', ['10s']],
    ['LOG_LEVEL', ['verbose', 'INFO']],
  ])('refuses a bad %s', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ ...enough, [name]: value });
      expect(problems[0]).toMatch(new RegExp(`^${name}: expected .+, received .+\\. .+\\.$`, 's'));
      expect(problems[0]?.split('\n')).toHaveLength(1);
    }
  });

  it('says of Sentinel and Cluster that they are not supported yet', () => {
    expect(problemsOf({ ...enough, REDIS_URL: 'redis+sentinel://a:26379/master' })).toEqual([
      expect.stringContaining('Redis Sentinel is not supported yet'),
    ]);
    for (const url of ['redis+cluster://a:7000', 'redis://a:7000,redis://b:7000', 'redis://a:7000,b:7000']) {
      expect(problemsOf({ ...enough, REDIS_URL: url })).toEqual([
        expect.stringContaining('Redis Cluster is not supported yet'),
      ]);
    }
  });
});

describe('secrets', () => {
  it('may be several while rotating, none of them empty', () => {
    expect(readConfig({ APPLICATION_SECRET: 'new, old' }).secrets).toEqual(['new', 'old']);
    for (const secret of ['new,', ',old', 'a,,b', ' ']) {
      expect(problemsOf({ APPLICATION_SECRET: secret })).toEqual([
        expect.stringMatching(
          /^APPLICATION_SECRET: expected one secret, or several separated by commas, none of them empty/,
        ),
      ]);
    }
  });

  it('are required of those who receive alone', () => {
    expect(problemsOf({ ROLE: 'receiver' })).toEqual([
      expect.stringMatching(/^APPLICATION_SECRET: .+received nothing/),
    ]);
    expect(readConfig({ ROLE: 'worker' }).secrets).toEqual([]);
    expect(readConfig({}, { receives: false }).secrets).toEqual([]);
    expect(readConfig({ ROLE: 'worker', APPLICATION_SECRET: 's' }).secrets).toEqual(['s']);
  });

  it.each(['APPLICATION_SECRET', 'REDIS_URL', 'FORWARD_URL', 'FORWARD_SECRET', 'ADMIN_TOKEN'])(
    'come from a file: %s_FILE',
    (name) => {
      const value = name.endsWith('URL') ? `${name === 'REDIS_URL' ? 'redis' : 'http'}://host` : 'c2VjcmV0';
      const { [name]: _, ...others } = { ...enough, FORWARD_URL: 'http://host', FORWARD_SECRET: 'c2VjcmV0' } as Record<
        string,
        string
      >;
      const config = readConfig({ ...others, [`${name}_FILE`]: file(name, `${value}\r\n`) });
      expect(Object.values(config).flat()).toContain(value);
    },
  );

  it('are a problem when set twice, when the file cannot be read, and when it is empty', () => {
    const missing = join(dir, 'missing');
    expect(
      problemsOf({
        APPLICATION_SECRET: 's3cret-value',
        APPLICATION_SECRET_FILE: file('s', 's3cret-value'),
        REDIS_URL_FILE: missing,
        ADMIN_TOKEN_FILE: file('empty', '\n'),
      }),
    ).toEqual([
      'APPLICATION_SECRET: expected APPLICATION_SECRET or APPLICATION_SECRET_FILE, received both. Leave one of them out.',
      `REDIS_URL_FILE: expected the path of a file that can be read, received "${missing}" (ENOENT). Check that it exists and that this user may read it.`,
      expect.stringMatching(
        /^ADMIN_TOKEN_FILE: expected a file that holds the secret, received ".+", which is empty\./,
      ),
    ]);
    expect(problemsOf({ APPLICATION_SECRET_FILE: dir })).toEqual([expect.stringContaining('(EISDIR)')]);
  });

  it('are never shown, be they ever so wrong', () => {
    const bad = { APPLICATION_SECRET: 'hunter2,', REDIS_URL: 'redis://u:hunter2@h/x', FORWARD_URL: 'hunter2' };
    const worse = { FORWARD_SECRET: 'hunter2!', ADMIN_TOKEN: 'hunter2 x', REDIS_URL_FILE: file('url', 'hunter2') };
    for (const env of [bad, worse]) {
      const problems = problemsOf({ ...enough, ...env });
      expect(problems.length).toBeGreaterThanOrEqual(3);
      expect(problems.join()).not.toContain('hunter2');
    }
  });

  it('FORWARD_SECRET belongs to FORWARD_URL', () => {
    expect(problemsOf({ ...enough, FORWARD_URL: 'http://host/in' })).toEqual([
      expect.stringMatching(/^FORWARD_SECRET: expected a secret, as FORWARD_URL is set, received nothing/),
    ]);
  });

  it('ADMIN_TOKEN belongs to every ADMIN_HOST but loopback', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      expect(problemsOf({ ...enough, ADMIN_HOST: host })).toEqual([]);
    }
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'sluice.internal', '127.evil.test']) {
      expect(problemsOf({ ...enough, ADMIN_HOST: host })).toEqual([
        expect.stringMatching(/^ADMIN_TOKEN: expected a token, as ADMIN_HOST is /),
      ]);
      expect(problemsOf({ ...enough, ADMIN_HOST: host, ADMIN_TOKEN: 't' })).toEqual([]);
    }
  });
});

describe('settings that belong together', () => {
  it('a repeat is recognised at least as long as its timestamp is accepted', () => {
    expect(problemsOf({ ...enough, TIMESTAMP_TOLERANCE_S: '3601' })).toEqual([
      expect.stringMatching(/^DEDUPE_WINDOW_S/),
    ]);
    expect(problemsOf({ ...enough, TIMESTAMP_TOLERANCE_S: '3600' })).toEqual([]);
    expect(problemsOf({ ...enough, TIMESTAMP_TOLERANCE_S: '0', DEDUPE_WINDOW_S: '1' })).toEqual([]);
  });

  it('both listeners have a port of their own, unless the system chooses', () => {
    expect(problemsOf({ ...enough, PORT: '8080', ADMIN_PORT: '8080' })).toEqual([expect.stringMatching(/^ADMIN_PORT/)]);
    expect(problemsOf({ ...enough, PORT: '0', ADMIN_PORT: '0' })).toEqual([]);
    expect(problemsOf({ ROLE: 'worker', ADMIN_PORT: '3000' })).toEqual([]);
  });
});

describe('warnings', () => {
  const warningsOf = (env: Record<string, string>) => readConfig({ ...enough, ...env }).warnings;

  it.each([
    ['REORDER_WINDOW', 'REORDER_WINDOW_MS'],
    ['HANDLER_TIMEOUT', 'HANDLER_TIMEOUT_MS'],
    ['TIMESTAMP_TOLERANCE_SECONDS', 'TIMESTAMP_TOLERANCE_S'],
    ['DEDUPE_WINDOW_MS', 'DEDUPE_WINDOW_S'],
    ['REDIS_URI', 'REDIS_URL'],
    ['APLICATION_SECRET', 'APPLICATION_SECRET'],
    ['APPLICATION_SECRETS', 'APPLICATION_SECRET'],
    ['ADMIN_TOKEN_FLIE', 'ADMIN_TOKEN_FILE'],
    ['redis_url', 'REDIS_URL'],
  ])('%s: did you mean %s?', (name, meant) => {
    expect(warningsOf({ [name]: 'x' })).toEqual([`${name} is not read: did you mean ${meant}?`]);
  });

  it('leaves alone what others set', () => {
    const names = [
      'HOME',
      'PATH',
      'HOSTNAME',
      'LOGNAME',
      'PWD',
      'SHELL',
      'LANG',
      'NODE_ENV',
      'NODE_OPTIONS',
      'TERM',
      'USER',
    ];
    const kubernetes = [
      'REDIS_PORT',
      'REDIS_SERVICE_HOST',
      'SLUICE_PORT',
      'KUBERNETES_PORT',
      'REDIS_PORT_6379_TCP_ADDR',
    ];
    expect(warningsOf(Object.fromEntries([...names, ...kubernetes].map((name) => [name, 'x'])))).toEqual([]);
    expect(warningsOf({ REORDER_WINDOW: '' })).toEqual([]);
  });

  it('says of a setting that is no secret that it cannot come from a file', () => {
    expect(warningsOf({ CALLBACK_PATH_FILE: '/x' })).toEqual([
      'CALLBACK_PATH_FILE is not read: only secrets may come from a file. Set CALLBACK_PATH itself.',
    ]);
  });

  it('says what it means not to check timestamps', () => {
    expect(warningsOf({ TIMESTAMP_TOLERANCE_S: '0' })).toEqual([
      expect.stringMatching(/^TIMESTAMP_TOLERANCE_S is 0: /),
    ]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { json } from '../platform/recorded-platform.js';
import { startPlatformCommands, token } from './run-platform.js';

let commands: Awaited<ReturnType<typeof startPlatformCommands>>;

beforeEach(async () => {
  commands = await startPlatformCommands();
});
afterEach(() => commands.close());

describe('every operation', () => {
  const operations: [name: string, words: string[]][] = [
    ['register', ['--host', 'cb.example.com']],
    ['publish', ['srt://203.0.113.7:9000']],
    ['restream', ['rtmp://live.example.com/app/key']],
    ['manifest', ['--start', '1h']],
  ];

  it.each(operations)('says all that is missing at once: %s', async (name, words) => {
    for (const name of Object.keys(commands.env)) delete commands.env[name];
    const run = await commands.sluice(name, ...words);
    expect(run).toMatchObject({ code: 2, out: '' });
    expect(run.err).toMatch(/^sluice: missing: .*PLATFORM_URL.*APPLICATION_ID.*(APPLICATION_SECRET|SLUICE_TOKEN)/);
    expect(run.err).not.toContain('\n');
  });

  it.each(operations)('fails in one line with code 1, and as JSON: %s', async (name, words) => {
    Object.assign(commands.env, { SLUICE_TOKEN: token() });
    commands.platform.respond(() => json(503, { status: 'capacity' }));
    const run = await commands.sluice(name, ...words);
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toMatch(
      /^sluice: \w+ http.* was answered 503 capacity: the system is temporarily overloaded \(2 attempts\); trying again later may help$/,
    );
    const printed = JSON.parse((await commands.sluice(name, ...words, '--json')).out);
    expect(printed).toMatchObject({ ok: false, error: { status: 'capacity', http: 503, retry: 'once', attempts: 2 } });
  });

  it.each(operations)('shows its attempts with --verbose, on standard error: %s', async (name, words) => {
    Object.assign(commands.env, { SLUICE_TOKEN: token() });
    commands.platform.respond(() => ({ http: 502, type: 'text/html', body: '<html>' }));
    const run = await commands.sluice(name, ...words, '--verbose', '--attempts', '3');
    const lines = run.err.split('\n');
    expect(lines[0]).toMatch(/^attempt 1: .* 502 without a status \(text\/html\); again at once$/);
    expect(lines[1]).toMatch(/^attempt 2: .*; again in 1s$/);
    expect(lines[2]).toMatch(/^sluice: .* \(3 attempts\)/);
    expect(lines).toHaveLength(3);
  });

  it.each(operations)('hides token and secret, should the answer repeat them: %s', async (name, words) => {
    Object.assign(commands.env, { SLUICE_TOKEN: token(), LOG_LEVEL: 'debug' });
    commands.platform.respond(({ headers, target }) =>
      json(400, { status: 'my-secret', said: [headers.authorization, token(), target] }),
    );
    const run = await commands.sluice(name, ...words, '--json', '--verbose');
    const visible = run.out + run.err;
    for (const secret of name === 'register' ? ['my-secret'] : [token(), encodeURIComponent(token())]) {
      expect(visible).not.toContain(secret);
    }
    expect(visible).toContain('[hidden]');
  });

  it.each(operations)('hides them in what --verbose shows: %s', async (name, words) => {
    const secret = name === 'register' ? 'my-secret' : 'DIGEST:short';
    Object.assign(commands.env, { SLUICE_TOKEN: 'DIGEST:short' });
    commands.platform.respond(() => json(500, { status: `no ${secret}` }));
    const run = await commands.sluice(name, ...words, '--verbose', '--attempts', '2');
    expect(run.err.match(/500 no \[hidden\]/g)).toHaveLength(2);
    expect(run.err).not.toContain(secret);
  });

  it.each(operations)('leaves no connection behind: %s', async (name, words) => {
    Object.assign(commands.env, { SLUICE_TOKEN: token() });
    commands.platform.respond(() => json(401, { status: 'unauthorized' }));
    expect(await commands.sluice(name, ...words)).toMatchObject({ code: 1 });
    expect(commands.platform.requests).toHaveLength(1);
    await commands.platform.disconnected();
  });

  it.each(operations)('gives up in time where the platform does not answer: %s', async (name, words) => {
    Object.assign(commands.env, { SLUICE_TOKEN: token() });
    commands.platform.respond(() => 'hang');
    const run = await commands.sluice(name, ...words, '--timeout', '50ms', '--attempts', '2');
    expect(run).toMatchObject({
      code: 1,
      err: expect.stringContaining('was not answered in full within 50 ms (2 attempts)'),
    });
  });

  it('refuses two sources of one secret', async () => {
    Object.assign(commands.env, { APPLICATION_SECRET_FILE: await commands.file('x') });
    const run = await commands.sluice('register', '--host', 'a');
    expect(run).toMatchObject({
      code: 2,
      err: expect.stringContaining('both APPLICATION_SECRET and APPLICATION_SECRET_FILE'),
    });
  });

  it('warns of credentials sent in the clear to another machine', async () => {
    const run = await commands.sluice('register', '--host', 'a', '--url', 'http://platform.invalid', '--attempts', '1');
    expect(run.code).toBe(1);
    expect(run.err).toContain('warning: http://platform.invalid is not https: credentials travel unencrypted\n');
  });

  it.each([...operations.map(([name]) => name), 'token'])('has help with an example: %s', async (name) => {
    const run = await commands.sluice(name, '--help');
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toContain(`Example: sluice platform ${name} `);
  });
});

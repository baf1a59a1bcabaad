import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { until } from '../helpers/until.js';
import { type ServiceBesideSandbox, startServiceBeside, WATCHER } from './service-beside-sandbox.js';

let sandbox: Sandbox;
let beside: ServiceBesideSandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ speed: 20, run: 'e2e' });
  const { applicationId, baseUrl } = sandbox;
  const env = { PLATFORM_URL: baseUrl, APPLICATION_ID: applicationId, REORDER_WINDOW_MS: '300' };
  beside = await startServiceBeside(baseUrl, env, { 'watcher.mjs': WATCHER });
});
afterAll(async () => {
  await beside?.close();
  await sandbox?.close();
});

/** Runs `sluice …` to its end, and gives what it printed. */
async function sluice(words: string[], env: Record<string, string> = {}): Promise<{ out: string; err: string }> {
  const { code, out, err } = await beside.services.run(words, env);
  expect({ words, code, err: code === 0 ? '' : err }).toEqual({ words, code: 0, err: '' });
  return { out, err };
}

const register = (path: string) =>
  sluice(['platform', 'register', '--host', '127.0.0.1', '--port', String(beside.service.port), '--path', path]);
const token = async (...words: string[]) => (await sluice(['platform', 'token', ...words])).out.trim();
const seen = (streamId: string) =>
  beside.service.lines.filter((line) => line.msg === 'seen' && line.streamId === streamId);
const playlists = ['primary', 'xhd', 'hd', 'sd'].flatMap((name) => [`${name}.m3u8`, `${name}.mpd`]);

describe('a running service and the platform', () => {
  it('registered and published by command: its handlers see the life of the stream, in order', async () => {
    const registered = await sluice(['platform', 'register', '--callback', beside.callbackUrl]);
    expect(registered.out).toContain(`registered  POST ${beside.callbackUrl}\nlistening   GET|POST|PUT /callback`);
    expect(registered.err).toBe('');
    const words = ['--capability', 'publish-uri', 'streaming', '--type', 'publish', '--apply-tag', 'news', 'film'];
    const { out } = await sluice(['platform', 'publish', 'https://media.example.com/film.mp4', '--json'], {
      SLUICE_TOKEN: await token(...words),
    });
    const { streamId } = JSON.parse(out) as { streamId: string };
    expect(sandbox.streams()).toMatchObject([{ streamId, uri: 'https://media.example.com/film.mp4' }]);

    await until('all live playlists are seen', () => seen(streamId).length === 9);
    sandbox.endStream(streamId, 'enough');
    await sandbox.settled();
    await until('the whole life is seen', () => seen(streamId).length === 18);
    await sandbox.handled();

    const names = seen(streamId).map(({ what, uri }) => [
      what,
      String(uri ?? '')
        .split('/')
        .at(-1),
    ]);
    expect(names).toEqual([
      ['started', ''],
      ...playlists.map((name) => ['live', name]),
      ['ended', ''],
      ...playlists.map((name) => ['on-demand', name]),
    ]);
    expect(seen(streamId).filter(({ late }) => late)).toEqual([]);
    expect(seen(streamId)[0]).toMatchObject({ tags: ['news', 'film'] });
    const { notifications, handlers, problems } = sandbox.report();
    expect(notifications).toMatchObject({ sent: 18, acknowledged: 18, repeated: 0 });
    expect(handlers).toMatchObject([{ handler: 'recorder', recorded: 18, lost: 0, handledTwice: 0 }]);
    expect(problems).toEqual([]);
  });

  it.each(['GET', 'PUT'])('meet over %s too', async (method) => {
    await sluice(['platform', 'register', '--callback', `${beside.callbackUrl}?from=%2Fplatform`, '--method', method]);
    const { streamId } = sandbox.publish({ durationMs: 3000 });
    await sandbox.settled();
    await until('the whole life is seen', () => seen(streamId).length === 18);
  });

  it('whoever registers a path that is not listened on is told so: its notifications are lost, as 404 is final', async () => {
    const { err } = await register('/callback/');
    expect(err).toContain('path: notifications go to /callback/, this service listens on /callback');
    const before = sandbox.deliveries().length;
    sandbox.publish({ durationMs: 1000 });
    await sandbox.settled();
    const lost = sandbox.deliveries().slice(before);
    expect(lost).toHaveLength(18);
    for (const { state, attempts } of lost) {
      expect([state, attempts]).toEqual(['refused', [expect.objectContaining({ answer: { http: 404 } })]]);
    }
    expect((await register('/callback')).err).toBe('');
  });

  it('an authentic message that is no notification is refused for good, and kept to be looked at', async () => {
    const { streamId } = sandbox.publish({ durationMs: 1000 });
    sandbox.emit(streamId, 'live', { streamId: 7 });
    await sandbox.settled();
    const refused = sandbox.deliveries().filter(({ state, streamId: id }) => state === 'refused' && id === '7');
    expect(refused).toMatchObject([{ attempts: [{ number: 1, answer: { http: 400 } }] }]);
    const listed = async () => JSON.parse((await sluice(['failed', 'list', '--json'])).out) as object[];
    expect(await until('it is listed', async () => (await listed()).length > 0 && listed())).toHaveLength(1);
    await until('the whole life is seen', () => seen(streamId).length === 18);
  });

  it('a kind that nobody knows yet reaches the handlers in its place', async () => {
    const { streamId } = sandbox.publish();
    await until('all live playlists are seen', () => seen(streamId).length === 9);
    sandbox.emit(streamId, 'thumbnail', { uri: 'https://cdn.example.com/1.jpg' });
    sandbox.endStream(streamId);
    await sandbox.settled();
    await until('the whole life is seen', () => seen(streamId).length === 19);
    expect(
      seen(streamId)
        .map(({ what }) => what)
        .slice(9, 11),
    ).toEqual(['thumbnail', 'ended']);
  });
});

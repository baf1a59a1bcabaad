import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { playlist } from '../platform/recorded-platform.js';
import { startPlatformCommands, token } from './run-platform.js';

const PRIMARY = `#EXTM3U
#EXT-X-STREAM-INF:PROGRAM-ID=1,RESOLUTION=1920x1080,CODECS="avc1.4d0028,mp4a.40.2",BANDWIDTH=4160000,AVERAGE-BANDWIDTH=3200000,FRAME-RATE=29.97
xhd.m3u8?tenancy=my-application&edgeAuthToken=DIGEST%3Aabc
#EXT-X-STREAM-INF:BANDWIDTH=808000
sd.m3u8?tenancy=my-application&edgeAuthToken=DIGEST%3Aabc
`;

let commands: Awaited<ReturnType<typeof startPlatformCommands>>;

beforeEach(async () => {
  commands = await startPlatformCommands();
});
afterEach(() => commands.close());

describe('sluice platform manifest', () => {
  it('prints the variants, and no token', async () => {
    commands.platform.answers(playlist(PRIMARY));
    const run = await commands.sluice('manifest', '--start', '2h', '--token', token());
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toContain(`manifest  ${commands.platform.url}/svc/my-application/stream/replay/primary.m3u8\n`);
    expect(run.out).toMatch(/xhd +│ 1920×1080 +│ avc1\.4d0028 mp4a\.40\.2 +│ 4\.16 Mbit\/s +│ 3\.20 Mbit\/s +│ 29\.97/);
    expect(run.out).toMatch(/sd +│ \? +│ \? +│ 808 kbit\/s +│ \? +│ \?/);
    expect(run.out).not.toContain('DIGEST');
    const query = new URL(commands.sent().target ?? '', commands.platform.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      edgeAuthToken: token(),
      startTime: '2026-11-20T10:00:00.000Z',
      endTime: '2026-11-20T12:00:00.000Z',
    });
  });

  it('passes on times, type, apiVersion and httpRoundTripTime', async () => {
    commands.platform.answers(playlist('#EXTM3U\n#EXTINF:4,\na.ts\n#EXTINF:3.5,\nb.ts\n'));
    const times = ['--start', '2026-11-20T10:00:00+01:00', '--end', '1.5h'];
    const rest = ['--type', 'xhd', '--api-version', '0', '--round-trip-time', '12.5'];
    const run = await commands.sluice('manifest', ...times, ...rest, '--token', token());
    expect(run.out).toContain('segments  2, 7.5 s');
    const url = new URL(commands.sent().target ?? '', commands.platform.url);
    expect(url.pathname).toBe('/svc/my-application/stream/replay/xhd.m3u8');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      startTime: '2026-11-20T09:00:00.000Z',
      endTime: '2026-11-20T10:30:00.000Z',
      apiVersion: '0',
      httpRoundTripTime: '12.5',
    });
  });

  it('prints the playlist as it came with --raw, and everything with --json', async () => {
    commands.platform.answers(playlist(PRIMARY), playlist(PRIMARY));
    const words = ['manifest', '--start', '2h', '--token', token()];
    expect((await commands.sluice(...words, '--raw')).out).toBe(PRIMARY.trimEnd());
    expect(JSON.parse((await commands.sluice(...words, '--json')).out)).toMatchObject({
      ok: true,
      raw: PRIMARY,
      variants: [{ type: 'xhd', resolution: { width: 1920, height: 1080 }, bandwidth: 4_160_000 }, { type: 'sd' }],
    });
  });

  it("fetches a variant's manifest", async () => {
    const quality = '#EXTM3U\n#EXTINF:4,\na.ts\n';
    commands.platform.answers(playlist(PRIMARY), playlist(quality));
    const run = await commands.sluice('manifest', '--start', '2h', '--variant', 'sd', '--raw', '--token', token());
    expect(run).toMatchObject({ code: 0, out: quality.trimEnd() });
    expect(commands.sent(1).target).toBe(
      '/svc/my-application/stream/replay/sd.m3u8?tenancy=my-application&edgeAuthToken=DIGEST%3Aabc',
    );
  });

  it('says which variants there are', async () => {
    commands.platform.answers(playlist(PRIMARY));
    const run = await commands.sluice('manifest', '--start', '2h', '--variant', 'hd', '--token', token());
    expect(run).toMatchObject({ code: 1, err: 'sluice: the manifest has no variant hd; it has: xhd, sd' });
  });

  it.each([
    [[], "required option '--start <time>'"],
    [['--start', 'yesterday'], 'startTime: expected a Date, or a date and time with its zone'],
    [['--start', '1h', '--end', '2h'], 'endTime: expected after startTime'],
    [['--start', '1h', '--raw', '--json'], 'cannot be used with option'],
  ])('is a usage error: %j', async (words, message) => {
    const run = await commands.sluice('manifest', '--token', token(), ...words);
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(commands.platform.requests).toEqual([]);
  });
});

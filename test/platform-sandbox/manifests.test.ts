import { describe, expect, it } from '@jest/globals';
import { Parser } from 'm3u8-parser';
import { releasers } from '../sandbox/releasers.js';
import { openBoth, STARTS_AT } from './open-both.js';

const releasing = releasers();

/** A playlist as the library reads it, without the client's code. */
function parse(raw: string) {
  const parser = new Parser();
  parser.push(raw);
  parser.end();
  return parser.manifest as unknown as {
    playlists?: { uri: string; attributes: Record<string, unknown> }[];
    segments: { uri: string; duration: number }[];
    endList?: boolean;
    playlistType?: string;
    targetDuration?: number;
    mediaSequence?: number;
    dateTimeString?: string;
  };
}

const at = (seconds: number) => new Date(STARTS_AT + seconds * 1000);

async function replayOf(seconds: number) {
  const both = releasing(await openBoth());
  const stream = both.sandbox.publish({ tags: ['film'] });
  await both.clock.advance(seconds * 1000);
  const token = both.token({ capabilities: ['replay'] });
  const fetch = async (from: number, to: number, type = 'primary') => {
    const result = await both.client.fetchReplayManifest({ type, startTime: at(from), endTime: at(to), token });
    if (!result.ok) throw new Error(result.error.message);
    return result;
  };
  return { ...both, stream, token, fetch };
}

describe('a primary manifest', () => {
  it('reads the same in the client and in an HLS library, and says what the contract says it does', async () => {
    const { fetch, token } = await replayOf(60);
    const manifest = await fetch(0, 60);
    const { playlists = [] } = parse(manifest.raw);
    expect(manifest.raw).toMatch(/^#EXTM3U\n#EXT-X-STREAM-INF:PROGRAM-ID=1,RESOLUTION=1920x1080,CODECS="/);
    expect(playlists.map(({ uri }) => uri)).toEqual(manifest.variants.map(({ uri }) => uri));
    expect(playlists.map(({ attributes }) => Object.keys(attributes).sort())).toEqual(
      playlists.map(() => ['AVERAGE-BANDWIDTH', 'BANDWIDTH', 'CODECS', 'FRAME-RATE', 'PROGRAM-ID', 'RESOLUTION']),
    );
    expect(manifest.variants).toMatchObject([
      {
        type: 'xhd',
        resolution: { width: 1920, height: 1080 },
        bandwidth: 6e6,
        averageBandwidth: 4.5e6,
        frameRate: 30,
      },
      { type: 'hd', resolution: { width: 1280, height: 720 }, codecs: ['avc1.64001f', 'mp4a.40.2'], programId: 1 },
      { type: 'sd', resolution: { width: 854, height: 480 } },
    ]);
    for (const { uri, type } of manifest.variants) {
      const reference = new URL(uri, 'http://x/');
      expect(uri.startsWith(`${type}.m3u8?`)).toBe(true);
      expect(Object.fromEntries(reference.searchParams)).toEqual({
        tenancy: 'sandbox',
        edgeAuthToken: token,
        startTime: at(0).toISOString(),
        endTime: at(60).toISOString(),
        options: '',
      });
    }
  });

  it("leads to every variant's manifest by its own references, the same as asking for the quality does", async () => {
    const { fetch, client } = await replayOf(30);
    const { variants } = await fetch(2, 30);
    for (const variant of variants) {
      const followed = await client.fetchVariantManifest(variant);
      const asked = await fetch(2, 30, variant.type);
      expect(followed).toMatchObject({ ok: true, raw: asked.raw, variants: [] });
      expect(asked.segments).toHaveLength(8);
    }
  });
});

describe("a quality's manifest", () => {
  it.each([
    ['all of it', 60, [0, 60], 0, Array(15).fill(4)],
    ['a part, in whole segments', 60, [6, 14], 1, [4, 4, 4]],
    ['the end, with a short segment', 30, [24, 3600], 6, [4, 2]],
    ['more than there is', 9, [-3600, 3600], 0, [4, 4, 1]],
  ])(
    'has the media of the time that was asked for: %s',
    async (_case, lasted, [from = 0, to = 0], first, durations) => {
      const { fetch, stream, sandbox } = await replayOf(lasted);
      const manifest = await fetch(from, to, 'hd');
      const read = parse(manifest.raw);
      expect(read).toMatchObject({
        endList: true,
        playlistType: 'VOD',
        targetDuration: 4,
        mediaSequence: first,
        dateTimeString: at(first * 4).toISOString(),
      });
      expect(read.segments.map(({ duration }) => duration)).toEqual(durations);
      expect(manifest.segments.map(({ durationS }) => durationS)).toEqual(durations);
      const media = `${sandbox.baseUrl}/sandbox/media/${encodeURIComponent(stream.streamId)}/hd`;
      expect(manifest.segments.map(({ url }) => url)).toEqual(
        durations.map((_, index) => `${media}/${first + index}.ts`),
      );
    },
  );
});

describe('the playlists that notifications name', () => {
  it('can be read: the primary ones lead to the others, the live ones go on, the on-demand ones end', async () => {
    const { sandbox, stream, clock } = await replayOf(60);
    const urisOf = (what: string) =>
      sandbox
        .deliveries()
        .filter((delivery) => delivery.what === what)
        .map(({ message }) => message.data as { uri: string; isPrimary: boolean });
    const read = async (uri: string) => parse(await (await fetch(uri)).text());
    const hls = (what: string) => urisOf(what).filter(({ uri }) => uri.endsWith('.m3u8'));
    for (const { uri, isPrimary } of hls('live')) {
      const { playlists = [], segments, endList } = await read(uri);
      expect([playlists.length, segments.length, endList ?? false]).toEqual(isPrimary ? [3, 0, false] : [0, 6, false]);
      for (const playlist of playlists) expect((await read(new URL(playlist.uri, uri).href)).segments).toHaveLength(6);
    }
    sandbox.endStream(stream.streamId);
    await clock.advance(10_000);
    expect(hls('on-demand')).toHaveLength(4);
    for (const { uri, isPrimary } of hls('on-demand')) {
      const { segments, endList } = await read(uri);
      expect([segments.length, endList ?? false]).toEqual(isPrimary ? [0, false] : [15, true]);
    }
  });
});

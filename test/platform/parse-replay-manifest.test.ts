import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseReplayManifest, type ReplayManifest } from '../../src/platform/parse-replay-manifest.js';

const BASE = 'https://api.example.com/svc/my-application/stream/replay/primary.m3u8?edgeAuthToken=t';
const QUERY =
  'tenancy=my-application&edgeAuthToken=DIGEST%3Aabc&startTime=2026-11-20T10%3A00%3A00.000Z&endTime=2026-11-20T11%3A00%3A00.000Z&options=';
/** As the platform writes it (contract: "Fetch a replay manifest"). */
const PRIMARY = `#EXTM3U
#EXT-X-STREAM-INF:PROGRAM-ID=1,RESOLUTION=1920x1080,CODECS="avc1.4d0028,mp4a.40.2",BANDWIDTH=4160000,AVERAGE-BANDWIDTH=3200000,FRAME-RATE=29.97
xhd.m3u8?${QUERY}
#EXT-X-STREAM-INF:PROGRAM-ID=1,RESOLUTION=640x360,CODECS="avc1.42c01e,mp4a.40.2",BANDWIDTH=808000,AVERAGE-BANDWIDTH=720000,FRAME-RATE=15
sd.m3u8?${QUERY}
`;

function parsed(raw: string, base = BASE): ReplayManifest {
  const outcome = parseReplayManifest(raw, base);
  if ('problem' in outcome) throw new Error(outcome.problem);
  return outcome.result;
}

describe('parseReplayManifest', () => {
  it('reads every attribute of the variants, as numbers', () => {
    expect(parsed(PRIMARY)).toEqual({
      url: BASE,
      raw: PRIMARY,
      segments: [],
      variants: [
        {
          type: 'xhd',
          uri: `xhd.m3u8?${QUERY}`,
          url: `https://api.example.com/svc/my-application/stream/replay/xhd.m3u8?${QUERY}`,
          resolution: { width: 1920, height: 1080 },
          codecs: ['avc1.4d0028', 'mp4a.40.2'],
          bandwidth: 4_160_000,
          averageBandwidth: 3_200_000,
          frameRate: 29.97,
          programId: 1,
        },
        {
          type: 'sd',
          uri: `sd.m3u8?${QUERY}`,
          url: `https://api.example.com/svc/my-application/stream/replay/sd.m3u8?${QUERY}`,
          resolution: { width: 640, height: 360 },
          codecs: ['avc1.42c01e', 'mp4a.40.2'],
          bandwidth: 808_000,
          averageBandwidth: 720_000,
          frameRate: 15,
          programId: 1,
        },
      ],
    });
  });

  it('reads CRLF, a byte order mark and a missing last line break alike', () => {
    const { variants } = parsed(PRIMARY);
    const windows = PRIMARY.replaceAll('\n', '\r\n').trimEnd();
    expect(parsed(`\uFEFF${windows}`).variants).toEqual(variants);
  });

  it('leaves what is not stated, or no number, undefined', () => {
    const raw =
      '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=many,RESOLUTION=wide,FRAME-RATE=,AVERAGE-BANDWIDTH=-1\nxhd.m3u8\n#EXT-X-STREAM-INF:\nsd.m3u8\n';
    for (const variant of parsed(raw).variants) {
      expect(variant).toMatchObject({
        resolution: undefined,
        codecs: [],
        bandwidth: undefined,
        averageBandwidth: undefined,
        frameRate: undefined,
        programId: undefined,
      });
    }
    expect(parsed(raw).variants.map(({ type }) => type)).toEqual(['xhd', 'sd']);
  });

  it('leaves out a variant whose reference is missing', () => {
    expect(parsed('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n').variants).toEqual([]);
  });

  it('reads the segments of a quality manifest', () => {
    const raw =
      '#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:4.5,\na.ts\n#EXTINF:5,\nhttps://cdn.example/b.ts\n#EXT-X-ENDLIST\n';
    expect(parsed(raw)).toMatchObject({
      variants: [],
      segments: [
        { uri: 'a.ts', url: 'https://api.example.com/svc/my-application/stream/replay/a.ts', durationS: 4.5 },
        { uri: 'https://cdn.example/b.ts', url: 'https://cdn.example/b.ts', durationS: 5 },
      ],
    });
  });

  it('says that a reference is none, and does not throw', () => {
    expect(parseReplayManifest('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://[\n', BASE)).toMatchObject({
      problem: expect.stringContaining('cannot be read'),
    });
  });

  it('refuses a line that would take the parser minutes, and reads a long token', () => {
    const started = Date.now();
    expect(parseReplayManifest(`#EXTM3U\n#EXT-X-STREAM-INF:${','.repeat(1_000_000)}\n`, BASE)).toMatchObject({
      problem: expect.stringContaining('a line longer than 16384 characters'),
    });
    expect(Date.now() - started).toBeLessThan(5000);
    const uri = `xhd.m3u8?edgeAuthToken=${'x'.repeat(10_000)}`;
    expect(parsed(`#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${uri}\n`).variants[0]?.uri).toBe(uri);
  });

  it('never throws, whatever follows the first line', () => {
    const line = fc.oneof(
      fc.string(),
      fc
        .constantFrom(
          '#EXTINF:',
          '#EXT-X-STREAM-INF:',
          '#EXT-X-KEY:',
          '#EXT-X-MAP:',
          '#EXT-X-MEDIA:',
          '#EXT-X-BYTERANGE:',
          '#EXT-X-DATERANGE:',
          '#EXT-X-PART:',
          '#EXT-X-SKIP:',
          '#EXT-X-DISCONTINUITY',
          '#EXT-X-I-FRAME-STREAM-INF:',
        )
        .chain((tag) => fc.string().map((rest) => tag + rest)),
      fc.constant('xhd.m3u8?a=b'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const raw = ['#EXTM3U', ...lines].join('\n');
        const outcome = parseReplayManifest(raw, BASE);
        if ('result' in outcome) expect(outcome.result.raw).toBe(raw);
        else expect(outcome.problem).toContain('cannot be read');
      }),
      { numRuns: 500 },
    );
  });
});

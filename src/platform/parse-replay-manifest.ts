import { Parser } from 'm3u8-parser';

/** A quality of the replay (contract: "Fetch a replay manifest"). What the playlist does not state is undefined. */
export interface ReplayVariant {
  /** As the playlist names its manifest: `xhd` for `xhd.m3u8?…`. */
  type: string;
  /** The reference as written, relative and with its query. The query holds the edge token. */
  uri: string;
  /** The reference resolved against the manifest's own URL. It holds the edge token. */
  url: string;
  /** Pixels. */
  resolution: { width: number; height: number } | undefined;
  codecs: string[];
  /** Bits per second, at most. */
  bandwidth: number | undefined;
  /** Bits per second. */
  averageBandwidth: number | undefined;
  /** Frames per second. */
  frameRate: number | undefined;
  programId: number | undefined;
}

/** A piece of media of a quality manifest. */
export interface ReplaySegment {
  uri: string;
  url: string;
  /** Seconds. */
  durationS: number | undefined;
}

/** An HLS playlist: a primary one has variants, that of a quality has segments. */
export interface ReplayManifest {
  /** Where it came from. It holds the edge token. */
  url: string;
  /** The playlist as it came. */
  raw: string;
  variants: ReplayVariant[];
  segments: ReplaySegment[];
}

/** The parser's time grows with the square of a line of attributes. */
const MAX_LINE = 16_384;

/** Reads a playlist; `problem` says why it is none. */
export function parseReplayManifest(
  raw: string,
  url: string,
): { result: ReplayManifest } | { problem: string; cause?: unknown } {
  // A byte order mark may come first, and nothing else.
  if (!/^\uFEFF?#EXTM3U\s/.test(`${raw}\n`)) return { problem: 'is no HLS playlist: it does not start with #EXTM3U' };
  if (raw.split('\n').some((line) => line.length > MAX_LINE)) {
    return { problem: `is an HLS playlist with a line longer than ${MAX_LINE} characters` };
  }
  try {
    const parser = new Parser();
    parser.push(raw.endsWith('\n') ? raw : `${raw}\n`);
    parser.end();
    const { playlists = [], segments = [] } = parser.manifest;
    return {
      result: {
        url,
        raw,
        variants: playlists.flatMap(({ uri, attributes = {} }) => (uri ? [readVariant(uri, url, attributes)] : [])),
        segments: segments.flatMap(({ uri, duration }) =>
          uri ? [{ uri, url: new URL(uri, url).href, durationS: duration }] : [],
        ),
      },
    };
  } catch (cause) {
    return { problem: 'is an HLS playlist that cannot be read', cause };
  }
}

function readVariant(uri: string, base: string, attributes: Record<string, unknown>): ReplayVariant {
  const url = new URL(uri, base);
  const resolution = attributes.RESOLUTION as { width?: unknown; height?: unknown } | undefined;
  const width = positive(resolution?.width);
  const height = positive(resolution?.height);
  const codecs = typeof attributes.CODECS === 'string' ? attributes.CODECS : '';
  return {
    type: (url.pathname.split('/').at(-1) ?? '').replace(/\.m3u8$/, ''),
    uri,
    url: url.href,
    resolution: width !== undefined && height !== undefined ? { width, height } : undefined,
    codecs: codecs
      .split(',')
      .map((codec) => codec.trim())
      .filter(Boolean),
    bandwidth: positive(attributes.BANDWIDTH),
    averageBandwidth: positive(attributes['AVERAGE-BANDWIDTH']),
    frameRate: positive(attributes['FRAME-RATE']),
    programId: finite(attributes['PROGRAM-ID']),
  };
}

/** The parser gives some attributes as numbers and others as text. */
function finite(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function positive(value: unknown): number | undefined {
  const number = finite(value);
  return number !== undefined && number > 0 ? number : undefined;
}

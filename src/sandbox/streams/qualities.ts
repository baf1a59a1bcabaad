/** A quality level of a stream, as the primary manifest describes it. */
export interface Quality {
  /** Names its playlists: `xhd` gives `xhd.m3u8`. */
  name: string;
  width: number;
  height: number;
  /** RFC 6381, video and audio. */
  codecs: string;
  /** Peak, bits per second. */
  bandwidth: number;
  /** Bits per second. */
  averageBandwidth: number;
  frameRate: number;
}

/** The contract names `xhd` alone ("Fetch a replay manifest"); the others are the sandbox's choice. Best first. */
export const QUALITIES: readonly Quality[] = [
  {
    name: 'xhd',
    width: 1920,
    height: 1080,
    codecs: 'avc1.640028,mp4a.40.2',
    bandwidth: 6_000_000,
    averageBandwidth: 4_500_000,
    frameRate: 30,
  },
  {
    name: 'hd',
    width: 1280,
    height: 720,
    codecs: 'avc1.64001f,mp4a.40.2',
    bandwidth: 2_800_000,
    averageBandwidth: 2_100_000,
    frameRate: 30,
  },
  {
    name: 'sd',
    width: 854,
    height: 480,
    codecs: 'avc1.4d401f,mp4a.40.2',
    bandwidth: 1_200_000,
    averageBandwidth: 900_000,
    frameRate: 30,
  },
];

/** Name of the manifest that refers to those of all qualities. */
export const PRIMARY = 'primary';

/** One of a stream's playlists; each has a `live` and an `on-demand` notification of its own (contract: "Events"). */
export interface Playlist {
  /** `primary`, or the name of a quality. */
  manifest: string;
  /** HLS or MPEG-DASH. */
  format: 'm3u8' | 'mpd';
}

/** The adaptive playlist first, then one for each quality, each as HLS and as MPEG-DASH. */
export function playlistsOf(qualities: readonly Quality[]): Playlist[] {
  const manifests = [PRIMARY, ...qualities.map((quality) => quality.name)];
  return manifests.flatMap((manifest) => [
    { manifest, format: 'm3u8' as const },
    { manifest, format: 'mpd' as const },
  ]);
}

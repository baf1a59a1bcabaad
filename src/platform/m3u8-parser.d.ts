/** The part of m3u8-parser that is used; it ships no types. Attributes come as the playlist has them. */
declare module 'm3u8-parser' {
  interface Manifest {
    playlists?: { uri?: string; attributes?: Record<string, unknown> }[];
    segments?: { uri?: string; duration?: number }[];
    endList?: boolean;
  }

  export class Parser {
    manifest: Manifest;
    push(chunk: string): void;
    end(): void;
  }
}

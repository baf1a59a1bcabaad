import type { Notification } from '../protocol/notification.js';

/** What happened to a stream, and when, seconds after its start. No two of a stream at the same time. */
export interface Fact {
  stream: string;
  /** The kind, and where a stream has two of a kind what tells them apart. */
  name: string;
  what: string;
  atS: number;
  data: object;
}

const TAGS = ['sport', 'hd', 'eu-west'];
const playlist = (stream: string, name: string) => ({
  uri: `https://cdn.example.com/${stream}/${name}`,
  isPrimary: name === 'master.m3u8',
  isVariant: false,
});

/** What every stream goes through: two live playlists, and a recording. */
function lifeOf(stream: string): Fact[] {
  return [
    { stream, name: 'started', what: 'started', atS: 0, data: { tags: TAGS } },
    { stream, name: 'live', what: 'live', atS: 4, data: playlist(stream, 'master.m3u8') },
    { stream, name: 'live 720p', what: 'live', atS: 5, data: playlist(stream, '720p.m3u8') },
    { stream, name: 'ended', what: 'ended', atS: 90, data: { tags: TAGS, duration: 90_000, reason: '' } },
    { stream, name: 'on-demand', what: 'on-demand', atS: 95, data: playlist(stream, 'master.m3u8') },
  ];
}

/** Of a kind that Sluice does not know, as the platform may add them at any time. */
const THUMBNAIL = { stream: 'concert', name: 'thumbnail', what: 'thumbnail', atS: 6, data: { width: 640 } };

export const FACTS: readonly Fact[] = [...['cup-final', 'keynote', 'concert'].flatMap(lifeOf), THUMBNAIL];

/** A fact as the platform tells it. `startedAt`: when its stream started, milliseconds since the epoch. */
export function tell(fact: Fact, startedAt: number): Notification {
  return {
    apiVersion: 0,
    entity: 'stream',
    what: fact.what,
    data: { streamId: fact.stream, ...fact.data },
    sessionId: `session-${fact.stream}`,
    timestamp: new Date(startedAt + fact.atS * 1000).toISOString(),
  };
}

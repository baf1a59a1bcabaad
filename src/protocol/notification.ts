import { z } from 'zod';

/** What every notification carries, whatever its kind (contract: "Notification message"). Unknown fields are kept. */
interface Envelope {
  /** Version of the message format; 0 today. */
  apiVersion: number;
  /** Always `stream` today. */
  entity: string;
  /** Session of the client that the stream belongs to. */
  sessionId: string;
  /** When the request was initiated: RFC 3339, UTC, milliseconds. */
  timestamp: string;
  [unknownField: string]: unknown;
}

interface PublishedStream {
  streamId: string;
  /** Tags given at publishing; their order may differ between deliveries. */
  tags: string[];
  [unknownField: string]: unknown;
}

interface EndedStream extends PublishedStream {
  /** Milliseconds. */
  duration: number;
  /** May be empty. */
  reason: string;
}

interface Playlist {
  streamId: string;
  /** `.m3u8` for HLS, `.mpd` for MPEG-DASH. */
  uri: string;
  /** Whether the playlist contains variant playlists. */
  isPrimary: boolean;
  /** Known to be wrong: use `isPrimary`. */
  isVariant: boolean;
  [unknownField: string]: unknown;
}

/** A new stream was published. */
export interface StartedNotification extends Envelope {
  what: 'started';
  data: PublishedStream;
}

/** A published stream ended. */
export interface EndedNotification extends Envelope {
  what: 'ended';
  data: EndedStream;
}

/** A live playlist is ready; one notification for each playlist. */
export interface LiveNotification extends Envelope {
  what: 'live';
  data: Playlist;
}

/** An on-demand playlist is ready; one notification for each playlist. */
export interface OnDemandNotification extends Envelope {
  what: 'on-demand';
  data: Playlist;
}

/** A kind that this version does not know; the contract allows new ones at any time. */
export interface UnknownNotification extends Envelope {
  what: string;
  data: { streamId?: string; [unknownField: string]: unknown };
}

/** The four kinds of the contract, by name (contract: "Events"). */
export interface NotificationByKind {
  started: StartedNotification;
  ended: EndedNotification;
  live: LiveNotification;
  'on-demand': OnDemandNotification;
}

export type KnownKind = keyof NotificationByKind;
export type KnownNotification = NotificationByKind[KnownKind];
export type Notification = KnownNotification | UnknownNotification;

/** The known kinds in their natural order: what a stream goes through. */
export const KNOWN_KINDS = ['started', 'live', 'ended', 'on-demand'] as const satisfies readonly KnownKind[];

export function isKnownKind(kind: string): kind is KnownKind {
  return (KNOWN_KINDS as readonly string[]).includes(kind);
}

const envelope = {
  apiVersion: z.int(),
  entity: z.string(),
  sessionId: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
};
const streamId = z.string().min(1);
const publishedStream = z.looseObject({ streamId, tags: z.array(z.string()) });
const playlist = z.looseObject({ streamId, uri: z.string(), isPrimary: z.boolean(), isVariant: z.boolean() });

/**
 * The message exactly as the contract has it ("Notification message", "Events"), a union over `what`; fields it does
 * not name are kept. What is received need only be routable (see {@link readNotification}); this says where it deviates.
 */
export const notificationSchema = z.discriminatedUnion('what', [
  z.looseObject({ ...envelope, what: z.literal('started'), data: publishedStream }),
  z.looseObject({
    ...envelope,
    what: z.literal('ended'),
    data: publishedStream.extend({ duration: z.int().nonnegative(), reason: z.string() }),
  }),
  z.looseObject({ ...envelope, what: z.literal('live'), data: playlist }),
  z.looseObject({ ...envelope, what: z.literal('on-demand'), data: playlist }),
]);

/** A kind outside the contract: only the envelope is checked. */
export const unknownNotificationSchema = z.looseObject({
  ...envelope,
  what: z.string().min(1),
  data: z.looseObject({ streamId: z.string().optional() }),
});

import { isKnownKind, type KnownKind } from '../../protocol/notification.js';

const DEFAULT_TAGS = ['camera-1', 'hd'];

export interface NotificationToBuild {
  kind: string;
  streamId: string;
  sessionId: string;
  /** Milliseconds since the epoch. */
  timestamp: number;
  /** Default: some, where the kind carries tags. */
  tags?: readonly string[] | undefined;
  /** Merged over what the kind has. */
  data: Record<string, unknown>;
  /** Set where several are sent of one stream: tells them apart, so that none is a repeat of another. */
  sequence?: number | undefined;
}

/** The body of a notification, as the platform would write it (contract: "Notification message", "Events"). */
export function buildNotification(notification: NotificationToBuild): string {
  const { kind, streamId, sessionId, timestamp, data, sequence } = notification;
  return JSON.stringify({
    apiVersion: 0,
    entity: 'stream',
    what: kind,
    data: { streamId, ...dataOf(notification), ...data, ...(sequence === undefined ? {} : { sequence }) },
    sessionId,
    timestamp: new Date(timestamp).toISOString(),
  });
}

/** Whether notifications of a kind carry the stream's tags; of an unknown kind nobody knows, so they may. */
export function carriesTags(kind: string): boolean {
  return !isKnownKind(kind) || 'tags' in DATA[kind]({ kind, streamId: '' });
}

type Described = Pick<NotificationToBuild, 'kind' | 'streamId' | 'tags'>;

const DATA: Record<KnownKind, (notification: Described) => object> = {
  started: ({ tags = DEFAULT_TAGS }) => ({ tags }),
  ended: ({ tags = DEFAULT_TAGS }) => ({ tags, duration: 1_834_567, reason: '' }),
  live: playlist,
  'on-demand': playlist,
};

function dataOf(notification: Described): object {
  const { kind, tags } = notification;
  if (isKnownKind(kind)) return DATA[kind](notification);
  return tags === undefined ? {} : { tags };
}

function playlist({ kind, streamId }: Described): object {
  const uri = `https://cdn.example.com/${kind}/${encodeURIComponent(streamId)}/primary.m3u8`;
  // isVariant is wrong, as the contract says it is ("Versioning", 4).
  return { uri, isPrimary: true, isVariant: true };
}

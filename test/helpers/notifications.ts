import type { Notification } from '../../src/protocol/notification.js';
import { signNotification, type VerifiedBody, verifyNotification } from '../../src/protocol/signature.js';

const SECRET = 'application-secret';

/** A body that really was verified: there is no other way to get one. */
export function verifiedBody(body: string | Buffer): VerifiedBody {
  const bytes = Buffer.from(body);
  const signed = signNotification({ secret: SECRET, method: 'POST', target: '/callback', body: bytes });
  const headers = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), [value]]));
  const verification = verifyNotification(
    { method: 'POST', target: '/callback', headers, body: bytes },
    { secrets: [SECRET] },
  );
  if (!verification.authentic) throw new Error(`a test signed a body that does not verify: ${verification.detail}`);
  return verification.body;
}

export interface TestNotification {
  what?: string;
  stream?: string;
  /** Milliseconds since the epoch. */
  at?: number;
  data?: object;
}

/** A notification as the contract has it. */
export function notification({ what = 'started', stream = 'stream-1', at, data }: TestNotification = {}): Notification {
  const playlist = { uri: 'https://cdn.example.com/live.m3u8', isPrimary: true, isVariant: false };
  const byKind: Record<string, object> = {
    started: { tags: ['a', 'b'] },
    ended: { tags: ['a', 'b'], duration: 61_234, reason: '' },
    live: playlist,
    'on-demand': playlist,
  };
  return {
    apiVersion: 0,
    entity: 'stream',
    what,
    data: { streamId: stream, ...byKind[what], ...data },
    sessionId: 'session-1',
    timestamp: new Date(at ?? Date.now()).toISOString(),
  } as Notification;
}

/** What the receiver hands to the intake. */
export function received(message: Notification, receivedAt = Date.now()) {
  return { notification: message, body: verifiedBody(JSON.stringify(message)), receivedAt };
}

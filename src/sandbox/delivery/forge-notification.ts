import { type NotificationToSign, signNotification } from '../../protocol/signature.js';

/** The ways in which a copy's signature does not hold. */
export const FORGERIES = ['signature', 'secret', 'body', 'timestamp', 'unsigned'] as const;
export type Forgery = (typeof FORGERIES)[number];

/** A request whose signature must not verify (contract: "Notification authentication", rule 4). */
export function forgeNotification(
  forgery: Forgery,
  notification: NotificationToSign & { timestamp: string; brand: string },
): { body: string; headers: Record<string, string> } {
  const body = String(notification.body);
  const headers = signNotification(notification);
  switch (forgery) {
    case 'signature':
      return { body, headers: { ...headers, Authorization: `HMAC-SHA256 ${Buffer.alloc(32, 1).toString('base64')}` } };
    case 'secret':
      return { body, headers: signNotification({ ...notification, secret: `${notification.secret}-of-another` }) };
    case 'body':
      return { body: body.replace('"sessionId":"', '"sessionId":"forged-'), headers };
    case 'timestamp':
      return {
        body,
        headers: { ...headers, [`X-${notification.brand}-Timestamp`]: String(Number(notification.timestamp) + 1) },
      };
    case 'unsigned':
      return { body, headers: { 'Content-Type': 'application/json' } };
  }
}

import { createHash } from 'node:crypto';
import { isKnownKind, type Notification } from '../protocol/notification.js';

/**
 * What makes two notifications the same: a hash of the fact. For the known kinds that is `what` and `data` with keys and
 * `tags` in a fixed order, since a repeat may come with its tags reordered and a new timestamp; for unknown kinds, whose
 * facts nobody knows, the whole message.
 */
export function identify(notification: Notification, body: Buffer): string {
  const fact = isKnownKind(notification.what)
    ? { what: notification.what, data: notification.data }
    : (notification as unknown);
  return createHash('sha256').update(canonicalOrBytes(fact, body)).digest('hex');
}

/** Identity of a body that is no notification: its bytes. */
export function identifyBytes(body: Buffer): string {
  return `bytes-${createHash('sha256').update(body).digest('hex')}`;
}

/** A message nested deeper than the stack is identified by its bytes: still the same for an exact repeat. */
function canonicalOrBytes(fact: unknown, body: Buffer): string | Buffer {
  try {
    return canonical(fact);
  } catch (error) {
    if (error instanceof RangeError) return body;
    throw error;
  }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => {
      const field = (value as Record<string, unknown>)[key];
      return `${JSON.stringify(key)}:${key === 'tags' ? canonicalTags(field) : canonical(field)}`;
    });
  return `{${fields.join(',')}}`;
}

function canonicalTags(tags: unknown): string {
  return Array.isArray(tags) ? `[${tags.map(canonical).sort().join(',')}]` : canonical(tags);
}

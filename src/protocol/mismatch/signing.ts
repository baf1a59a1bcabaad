import { createHmac } from 'node:crypto';

/** Puts method, target, digest, content type and timestamp together. */
export type Layout = (parts: readonly string[]) => string;

/** What a sender signed and how, in pieces that can each have been another. Texts are Latin-1, a character for a byte. */
export interface Signing {
  method: string;
  /** Before the path: nothing, but for a sender that signs the whole URL. */
  origin: string;
  /** Without a slash at its end. */
  path: string;
  /** `/` or nothing. */
  trailing: string;
  /** With its `?`. */
  query: string;
  digest: string;
  contentType: string;
  timestamp: string;
  secret: Buffer;
  layout: Layout;
}

export const withoutSeparators: Layout = (parts) => parts.join('');

/** The pieces of a target. */
export function splitTarget(target: string): Pick<Signing, 'path' | 'trailing' | 'query'> {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark);
  return path.endsWith('/') ? { path: path.slice(0, -1), trailing: '/', query } : { path, trailing: '', query };
}

export function pathOf({ path, trailing }: Pick<Signing, 'path' | 'trailing'>): string {
  return path + trailing;
}

export function targetOf(signing: Signing): string {
  return signing.origin + pathOf(signing) + signing.query;
}

/** The 32 bytes that a sender gets who signs so. */
export function signatureOf(signing: Signing): Buffer {
  const { method, digest, contentType, timestamp, secret, layout } = signing;
  const message = layout([method, targetOf(signing), digest, contentType, timestamp]);
  return createHmac('sha256', secret).update(message, 'latin1').digest();
}

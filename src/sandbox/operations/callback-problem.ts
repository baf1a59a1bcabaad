import { isIPv6 } from 'node:net';
import { callbackSchema } from '../../protocol/callback-endpoint.js';

/** A name or an address, without what belongs into other fields. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/i;
/** What a request line can hold. */
const SENDABLE = /^[\x21-\x7e]*$/;

/**
 * Why nothing could be delivered to a callback, or undefined where all is well (contract: "Callback object"). Beyond the
 * contract's types: the host is one and nothing more, the path starts with a slash, and neither path nor query has
 * characters that a request line cannot.
 */
export function callbackProblem(callback: unknown): string | undefined {
  const read = callbackSchema.safeParse(callback);
  if (!read.success) {
    const issue = read.error.issues[0];
    return `${['callback', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`;
  }
  const { host, path = '/', query = '' } = read.data;
  if (!HOST.test(host) && !isIPv6(host)) {
    return 'callback.host: expected a host name or address alone: scheme, port and path have fields of their own';
  }
  if (!path.startsWith('/')) return 'callback.path: expected a path that starts with /';
  if (!SENDABLE.test(path)) return 'callback.path: expected percent-encoding for what is not printable ASCII';
  if (!SENDABLE.test(query)) return 'callback.query: expected percent-encoding for what is not printable ASCII';
  return undefined;
}

import { callbackSchema } from '../../protocol/callback-endpoint.js';

/** What a request line can hold. */
const SENDABLE = /^[\x21-\x7e]*$/;

/**
 * Why nothing could be delivered to a callback, or undefined where all is well (contract: "Callback object"). Beyond the
 * contract's types: the path starts with a slash, and neither path nor query has characters that a request line cannot.
 */
export function callbackProblem(callback: unknown): string | undefined {
  const read = callbackSchema.safeParse(callback);
  if (!read.success) {
    const issue = read.error.issues[0];
    return `${['callback', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`;
  }
  const { path = '/', query = '' } = read.data;
  if (!path.startsWith('/')) return 'callback.path: expected a path that starts with /';
  if (!SENDABLE.test(path)) return 'callback.path: expected percent-encoding for what is not printable ASCII';
  if (!SENDABLE.test(query)) return 'callback.query: expected percent-encoding for what is not printable ASCII';
  return undefined;
}

import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import type { OverloadGuard } from './overload-guard.js';

/** Why a body was not read. `consumed`: somebody else has read it, or begun to. */
export type Unread = 'too-large' | 'aborted' | 'overloaded' | 'consumed';

/** What came of reading a body. `bytes` is what of it was received, and what the guard counts until it is released. */
export type ReadBody = { read: true; body: Buffer; bytes: number } | { read: false; why: Unread; bytes: number };

/** Reads a request's body, at most `limitBytes`, as it came. The caller gives `bytes` back to the guard in any case. */
export function readBody(request: IncomingMessage, limitBytes: number, guard: OverloadGuard): Promise<ReadBody> {
  if (request.destroyed) return Promise.resolve({ read: false, why: 'aborted', bytes: 0 });
  if (request.readableDidRead || !request.readable) {
    return Promise.resolve({ read: false, why: 'consumed', bytes: 0 });
  }
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Buffer) => {
      if (guard.hold(chunk.length)) {
        bytes += chunk.length;
        return;
      }
      // raw-body cannot be told to stop, so it is cut off from the chunks.
      request.removeAllListeners('data');
      resolve({ read: false, why: 'overloaded', bytes });
    };
    request.on('data', count);
    getRawBody(request, { limit: limitBytes, length: request.headers['content-length'] ?? null }).then(
      (body) => resolve({ read: true, body, bytes }),
      (error: { type?: string }) => {
        request.off('data', count);
        resolve({ read: false, why: whyUnread(request, error.type), bytes });
      },
    );
  });
}

/** Only a sender that is gone gets no answer, so anything that raw-body did not expect is not taken for that. */
function whyUnread(request: IncomingMessage, type: string | undefined): Unread {
  if (type === 'entity.too.large') return 'too-large';
  return type === 'request.aborted' || request.destroyed ? 'aborted' : 'consumed';
}

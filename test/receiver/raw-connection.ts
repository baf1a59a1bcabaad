import { once } from 'node:events';
import { connect } from 'node:net';

/** A response as it came over the wire. */
export interface RawResponse {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

/** A connection on which a test writes bytes of its own choosing, and reads whole responses. */
export interface RawConnection {
  send(bytes: string | Buffer): void;
  /** The next response that is not 1XX; rejects where the connection ends before. */
  next(): Promise<RawResponse>;
  /** Closes the sending side. */
  end(): void;
  destroy(): void;
  /** Leaves without a word. */
  reset(): void;
  /** Resolves once the connection is closed. */
  closed: Promise<void>;
}

const PATIENCE_MS = 10_000;

export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  let received = Buffer.alloc(0);
  let ended = false;
  let late = false;
  let wake: () => void = () => {};
  const over = () => {
    ended = true;
    wake();
  };
  socket.setTimeout(PATIENCE_MS, () => {
    late = true;
    wake();
  });
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('end', () => {
    over();
    socket.end();
  });
  socket.on('error', over);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    send: (bytes) => void socket.write(bytes),
    next: async () => {
      for (;;) {
        const parsed = parseResponse(received);
        if (parsed) {
          received = received.subarray(parsed.length);
          if (parsed.response.status >= 200) return parsed.response;
          continue;
        }
        if (ended) throw new Error(`the connection ended; received: ${JSON.stringify(received.toString('latin1'))}`);
        if (late) throw new Error(`no answer within ${PATIENCE_MS} ms`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
    closed,
  };
}

/** One request on a connection of its own. */
export async function exchange(port: number, bytes: string | Buffer): Promise<RawResponse> {
  const connection = await openConnection(port);
  connection.send(bytes);
  try {
    return await connection.next();
  } finally {
    connection.destroy();
  }
}

function parseResponse(bytes: Buffer): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = headEnd + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  return { response: { status, headers, body: bytes.subarray(headEnd + 4, length).toString('utf8') }, length };
}

import { Pool } from 'undici';
import { callbackTarget, type ResolvedCallback } from '../../protocol/callback-endpoint.js';
import type { Answer } from './delivery.js';

/** Sends requests byte for byte as they are given, over connections that are kept. */
export interface Sender {
  send(callback: ResolvedCallback, body: string, headers: Record<string, string>): Promise<Answer>;
  /** Breaks off what is on its way; from then on nothing gets an answer. */
  close(): Promise<void>;
}

/** @param limits `connections` to an endpoint at a time; `timeoutMs`: how long a connection, and then an answer, may take */
export function createSender(limits: { connections: number; timeoutMs: number }): Sender {
  const pools = new Map<string, Pool>();
  let closed = false;

  function poolOf(origin: string): Pool {
    const known = pools.get(origin);
    if (known) return known;
    const { connections, timeoutMs } = limits;
    const pool = new Pool(origin, {
      connections,
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    pools.set(origin, pool);
    return pool;
  }

  return {
    async send(callback, body, headers) {
      const { protocol, host, port, method } = callback;
      const authority = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
      try {
        const answer = await poolOf(`${protocol}://${authority}`).request({
          method,
          path: callbackTarget(callback),
          headers: { Host: authority, ...headers },
          body,
        });
        await answer.body.dump();
        return { http: answer.statusCode };
      } catch (error) {
        if (closed) return new Promise(() => {});
        return { noAnswer: describe(error) };
      }
    },
    async close() {
      closed = true;
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT` … where the error has such a code. */
function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'message' in error ? String(error.message) : String(error);
}

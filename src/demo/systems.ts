import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Notification } from '../protocol/notification.js';

/** What a handler handed to the system behind it, as that system saw it: one attempt of a delivery. */
export interface Arrival {
  handler: string;
  /** The `Idempotency-Key` that came with it. */
  id: string;
  notification: Notification;
  /** `performance.now()`, ms. */
  at: number;
  /** What the system answered: 2XX, it took it. */
  status: number;
}

/** The systems that the handlers of the demo hand their notifications to: one for each handler, at `/<its name>`. */
export interface Systems {
  readonly url: string;
  /** All attempts, in the order in which they came. */
  readonly arrivals: readonly Arrival[];
  close(): Promise<void>;
}

/** Starts them on a free port of the loopback. `answer` says with what status a system answers; what came before is in `arrivals`. */
export async function startSystems(
  answer: (attempt: Omit<Arrival, 'status'>, arrivals: readonly Arrival[]) => number,
): Promise<Systems> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const notification = JSON.parse(await text(request)) as Notification;
    const handler = (request.url ?? '').slice(1);
    const attempt = { handler, id: String(request.headers['idempotency-key']), notification, at: performance.now() };
    const status = answer(attempt, arrivals);
    arrivals.push({ ...attempt, status });
    response.writeHead(status).end(status < 300 ? undefined : ANSWERS[status]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    arrivals,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const ANSWERS: Record<number, string> = { 422: 'no shelf for it', 503: 'back in a moment' };

import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Connections } from './connections.js';

/** How long kept-alive connections may still bring a request that was under way, ms. */
const IDLE_GRACE_MS = 250;
/** How often connections are looked at that have become idle since, ms. */
const CHECK_MS = 50;

/**
 * Stops a server: no new connections, what is in flight is answered, idle connections are closed after a short grace (a
 * request may be on the wire), and at the deadline all are. Resolves when none is left, and never rejects.
 */
export async function stopServer(server: Server, connections: Connections, deadlineMs: number): Promise<void> {
  const graceEnds = Date.now() + Math.min(IDLE_GRACE_MS, deadlineMs / 2);
  const sweep = setInterval(() => {
    if (Date.now() >= graceEnds) connections.closeIdle();
  }, CHECK_MS);
  const deadline = setTimeout(() => connections.closeAll(), deadlineMs);
  // Not http's own close: it would cut idle connections off at once, and let slow senders stay for ever.
  await new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  clearInterval(sweep);
  clearTimeout(deadline);
  // Ends http's own bookkeeping; that the server has stopped already is no news.
  server.close(() => {});
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of one connection. */
export interface Connection {
  /** Answers that have not gone out in full, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  latest: { request: IncomingMessage; response: ServerResponse; startedAt: number } | undefined;
  /** Bytes received when it was last between two requests; more than that: a request is on its way. */
  idleAtBytes: number;
  /** What followed was no HTTP, and was answered so. */
  broken: boolean;
}

/** The connections of a server, so that it can be stopped and broken requests can be answered. */
export interface Connections {
  /** Is told of every request as its headers have been read. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  of(socket: Socket): Connection | undefined;
  /** Closes those that are between two requests. */
  closeIdle(): void;
  closeAll(): void;
}

export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  // What is known of a connection outlives it: its last request may still be at work.
  const connections = new WeakMap<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    connections.set(socket, { open: new Set(), latest: undefined, idleAtBytes: 0, broken: false });
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    begin: (request, response) => {
      const { socket } = request;
      const connection = connections.get(socket);
      if (!connection) return;
      connection.open.add(response);
      connection.latest = { request, response, startedAt: performance.now() };
      response.once('close', () => {
        connection.open.delete(response);
        if (connection.open.size === 0) connection.idleAtBytes = socket.bytesRead;
      });
    },
    of: (socket) => connections.get(socket),
    closeIdle: () => {
      for (const socket of sockets) {
        const connection = connections.get(socket);
        if (connection?.open.size === 0 && socket.bytesRead === connection.idleAtBytes) socket.destroy();
      }
    },
    closeAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** A server that speaks as Redis 5 does, as far as a client asks before it does anything: no HELLO, no RESP 3. */
export async function startOldRedis(version: string): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: unknown) => {
      for (const [name = '', ...args] of readCommands(String(chunk)))
        socket.write(answer(name.toLowerCase(), args, version));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function answer(name: string, args: readonly string[], version: string): string {
  const info = `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\nrole:master\r\nloading:0\r\n`;
  if (name === 'info') return `$${info.length}\r\n${info}\r\n`;
  if (name === 'hello') return `-ERR unknown command \`HELLO\`, with args beginning with: \`${args[0]}\`, \r\n`;
  if (name === 'client')
    return "-ERR Unknown subcommand or wrong number of arguments for 'SETINFO'. Try CLIENT HELP\r\n";
  return '+OK\r\n';
}

/** Commands come whole: they are short, and sent one write each. */
function readCommands(text: string): string[][] {
  const commands: string[][] = [];
  const lines = text.split('\r\n');
  for (let at = 0; lines[at]?.startsWith('*'); ) {
    const count = Number(lines[at]?.slice(1));
    commands.push(Array.from({ length: count }, (_, index) => lines[at + 2 + 2 * index] ?? ''));
    at += 1 + 2 * count;
  }
  return commands;
}

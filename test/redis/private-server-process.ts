// Run by tests, as a process of its own: starts the private Redis of a data folder, says how, and stops on a line "stop".
import { createInterface } from 'node:readline';
import { startPrivateServer } from '../../src/redis/private-server.js';

const write = (_fields: object, message: string) => console.error(message);
const log = { info: write, warn: write, error: write } as never;
process.on('SIGINT', () => console.log('interrupted'));
const server = await startPrivateServer({ dataDir: process.argv[2] ?? '', log });
console.log(JSON.stringify({ socketPath: server.socketPath, owner: server.owner }));
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') break;
}
await server.stop();

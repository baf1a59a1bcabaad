import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startTestRedis, type TestRedis, uniquePrefix } from '../helpers/redis.js';
import { createServices, type RunningService, type Services } from '../helpers/service.js';

/** The secret that a sandbox has unless told otherwise. */
const SECRET = 'sandbox-secret';

/** A handler that tells in the service's log what it saw, in the order in which it saw it. */
export const WATCHER = `import { defineHandler } from 'sluice';

export default defineHandler({
  name: 'watcher',
  on: '*',
  handle({ what, data }, { late, log }) {
    log.info({ what, streamId: data.streamId, uri: data.uri, tags: data.tags, late }, 'seen');
  },
});
`;

/** A running Sluice with the handler that `sluice sandbox recorder` prints. */
export interface ServiceBesideSandbox {
  services: Services;
  service: RunningService;
  redis: TestRedis;
  /** Where the service delivers to, as a sandbox takes it. */
  callback: { host: string; port: number; path: string };
  /** The same as a URL. */
  callbackUrl: string;
  close(): Promise<void>;
}

/**
 * @param sandboxUrl where the recorder finds the sandbox
 * @param others handlers beside it, by file name
 */
export async function startServiceBeside(
  sandboxUrl: string,
  env: Record<string, string> = {},
  others: Record<string, string> = {},
): Promise<ServiceBesideSandbox> {
  // Some kill it: what it has confirmed is to be there afterwards.
  const redis = await startTestRedis({ appendfsync: 'always' });
  const services = await createServices({
    REDIS_URL: redis.url,
    QUEUE_PREFIX: uniquePrefix(),
    APPLICATION_SECRET: SECRET,
    SANDBOX_URL: sandboxUrl,
    ...env,
  });
  const close = async () => {
    await services.close();
    await redis.stop();
  };
  try {
    const printed = await services.run(['sandbox', 'recorder']);
    if (printed.code !== 0) throw new Error(printed.err);
    const handlers = join(services.dir, 'handlers');
    await mkdir(handlers);
    for (const [file, source] of Object.entries({ 'recorder.mjs': printed.out, ...others })) {
      await writeFile(join(handlers, file), source);
    }
    const service = await services.start({ HANDLERS: handlers });
    const { port } = service;
    const callback = { host: '127.0.0.1', port, path: '/callback' };
    return { services, service, redis, callback, callbackUrl: `http://127.0.0.1:${port}/callback`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A port for a process to be started later: below those that systems give to outgoing connections. */
export async function portForLater(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

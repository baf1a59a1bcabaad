import { createPlatformClient, type PlatformClient } from '../platform/create-platform-client.js';
import type { PlatformResult } from '../platform/platform-error.js';
import { createEdgeToken } from '../protocol/edge-token.js';
import { createPlatformClock } from '../sandbox/clock/platform-clock.js';
import { createSandbox } from '../sandbox/create-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { PLATFORM, PUBLISHED, SPEED, THUMBNAIL } from './plan.js';

const TOKEN_LIFE_MS = 600_000;

/** The sandbox, and a client of it. */
export interface Platform {
  sandbox: Sandbox;
  client: PlatformClient;
  /** When its clock started, `performance.now()`, ms. */
  startedAt: number;
}

/** Starts the platform, in this process, with the secret of the application. */
export async function startPlatform(secret: string): Promise<Platform> {
  const clock = createPlatformClock(SPEED);
  const startedAt = performance.now() - clock.now() / SPEED;
  const sandbox = await createSandbox({ ...PLATFORM, clock, secret });
  const { baseUrl, applicationId } = sandbox;
  return { sandbox, client: createPlatformClient({ baseUrl, applicationId, secret }), startedAt };
}

/** Registers a service's callback; gives the endpoint as the platform resolved it. */
export async function registerService({ client }: Platform, port: number, signal: AbortSignal): Promise<string> {
  const registered = await client.registerCallback({ host: '127.0.0.1', port, path: '/callback' }, { signal });
  return successOf(registered, signal).endpoint;
}

/** Publishes the streams of the plan; gives the identifier of each by its URI. They live and end by themselves. */
export async function publishStreams({ client, sandbox }: Platform, signal: AbortSignal): Promise<Map<string, string>> {
  const { applicationId, secret } = sandbox;
  const published = new Map<string, string>();
  for (const name of PUBLISHED) {
    const token = createEdgeToken({
      ...{ applicationId, secret, type: 'publish', capabilities: ['publish-uri', 'streaming', 'on-demand'] },
      expires: Date.now() + TOKEN_LIFE_MS,
      applyTags: [name, 'hd', 'eu-west'],
    });
    const uri = `https://media.example.com/${name}.mp4`;
    const { streamId } = successOf(await client.publishUri({ type: 'mp4', uri, token }, { signal }), signal);
    published.set(uri, streamId);
    if (streamId === THUMBNAIL.stream) sandbox.emit(streamId, THUMBNAIL.what, THUMBNAIL.data);
  }
  return published;
}

function successOf<Result>(result: PlatformResult<Result>, signal: AbortSignal): Result {
  if (result.ok) return result;
  signal.throwIfAborted();
  throw new Error(`the platform: ${result.error.message}`, { cause: result.error.cause });
}

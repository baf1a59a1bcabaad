import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { settings } from '../config/settings.js';

type Environment = Record<string, string | undefined>;

const HANDLERS = fileURLToPath(new URL('../../examples/handlers', import.meta.url));

/** How long notifications wait for earlier ones of their stream in the demo. Six times as long as the platform holds one back: a busy machine sends slowly. */
export const HOLD_MS = 3000;

/**
 * The environment of the demo's service: that of this process, without its settings of Sluice. Of these REDIS_URL alone is
 * kept: where it is set it is used, under a prefix of the demo's own.
 */
export function demoEnvironment(
  env: Environment,
  { dataDir, secret, systemsUrl }: { dataDir: string; secret: string; systemsUrl: string },
): Environment {
  const names = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
  const kept = Object.entries(env).filter(([name]) => !names.includes(name) || /^REDIS_URL(_FILE)?$/.test(name));
  return {
    ...Object.fromEntries(kept),
    APPLICATION_SECRET: secret,
    DATA_DIR: dataDir,
    HANDLERS,
    SYSTEMS_URL: systemsUrl,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    QUEUE_PREFIX: `{sluice-demo-${randomBytes(4).toString('hex')}}`,
    REORDER_WINDOW_MS: String(HOLD_MS),
    SHUTDOWN_TIMEOUT_MS: '3000',
  };
}

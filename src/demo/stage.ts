import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Releasers } from '../service/releasers.js';
import { clearRedis } from './clear-redis.js';
import { demoEnvironment } from './demo-environment.js';
import { type Platform, startPlatform } from './platform.js';
import { runSluice } from './run-sluice.js';
import { type ServiceProcess, startService } from './service-process.js';
import { type Systems, startSystems } from './systems.js';
import { createTrouble } from './trouble.js';

/** All that runs for the demo. */
export interface Stage {
  service: ServiceProcess;
  systems: Systems;
  platform: Platform;
  /** Whether Redis is the private one of the service. */
  hasPrivateRedis: boolean;
  /** Ends the refusals of the systems. */
  mend(): void;
  /** Runs a command of `sluice` on the service's Redis; gives what it printed. */
  sluice(...args: string[]): Promise<string>;
  /** Aborted with the demo, or when the service dies. */
  signal: AbortSignal;
}

/** Starts a service in a folder of its own, the systems that its handlers talk to, and the platform. `releasers` take it all down. */
export async function setStage(releasers: Releasers, interrupt: AbortSignal): Promise<Stage> {
  const dead = new AbortController();
  const signal = AbortSignal.any([interrupt, dead.signal]);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  releasers.add('folder', () => rm(folder, { recursive: true, force: true }));
  const trouble = createTrouble();
  const systems = await startSystems(trouble.answer);
  releasers.add('systems', () => systems.close());
  const secret = randomBytes(24).toString('base64url');
  const platform = await startPlatform(secret);
  releasers.add('platform', () => platform.sandbox.close());
  const env = demoEnvironment(process.env, { dataDir: join(folder, 'data'), secret, systemsUrl: systems.url });
  releasers.add('Redis', () => clearRedis(env));
  const service = await startService({ env, cwd: folder, signal, onDeath: (error) => dead.abort(error) });
  releasers.add('service', () => service.stop());
  return {
    service,
    systems,
    platform,
    hasPrivateRedis: !env.REDIS_URL && !env.REDIS_URL_FILE,
    mend: trouble.mend,
    sluice: (...args) => runSluice(args, { env, cwd: folder, signal }),
    signal,
  };
}

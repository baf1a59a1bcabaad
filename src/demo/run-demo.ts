import { createLogger } from '../logger.js';
import { createReleasers } from '../service/releasers.js';
import type { Screen } from './report/screen.js';
import { printStage } from './report/stage.js';
import { showDeliveries } from './show-deliveries.js';
import { type Stage, setStage } from './stage.js';

/**
 * The whole demo: starts a service and a platform that notifies it, and shows what its handlers got. Resolves
 * with the exit code, 0 only if what arrived is what was sent; rejects where it cannot run, or `interrupt` is aborted.
 * Leaves nothing behind in any case.
 */
export async function runDemo(screen: Screen, interrupt: AbortSignal): Promise<0 | 1> {
  const releasers = createReleasers(createLogger({ level: 'warn' }));
  let stage: Stage | undefined;
  try {
    const startedAt = performance.now();
    stage = await setStage(releasers, interrupt);
    printStage(stage, performance.now() - startedAt, screen);
    return await showDeliveries(stage, screen);
  } catch (error) {
    await releasers.releaseAll();
    // A request that failed is a symptom, where the service had died.
    throw (await stage?.service.failure) ?? error;
  } finally {
    await releasers.releaseAll();
  }
}

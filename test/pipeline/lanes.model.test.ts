import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';
import { commands } from './lanes-commands.js';
import { createModel, HANDLERS, type Model } from './lanes-model.js';
import { queuedJobs, runAdvance, runClaim, runSweep } from './lanes-steps.js';
import { createWorld, type World } from './lanes-world.js';

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: 'no' });
  redis = new Redis(server.options);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Nothing goes wrong any more: every lane must come to its end, or be parked. */
async function comeToRest(model: Model, world: World): Promise<void> {
  for (let rounds = 0; rounds < 50; rounds++) {
    for (const handler of HANDLERS) await runSweep(model, world, handler, 'dispatch');
    for (const job of queuedJobs(model)) await runClaim(model, world, job, 'dispatch');
    for (const run of model.runs.splice(0)) {
      await runAdvance(model, world, run, { done: true, what: 'dispatch', dies: false });
    }
    const busy = [...model.lanes.values()].filter(({ entries, parked }) => entries.size > 0 && !parked);
    if (busy.length === 0) return;
  }
  throw new Error('a lane is stuck');
}

describe('the lanes, whatever happens to them in whatever order', () => {
  it('keep exactly what a simple model of them keeps, and come to rest', async () => {
    let commandsRun = 0;
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { size: 'max', maxCommands: 60 }), async (all) => {
        const world = createWorld(redis);
        const model = createModel();
        model.subscriptions.set('goes-on', '*').set('parks', '*');
        await redis.hset(world.keys.handlers, Object.fromEntries(model.subscriptions));
        await fc.asyncModelRun(() => ({ model, real: world }), all);
        await comeToRest(model, world);
        commandsRun += [...all].length;
        // Else removing a handler would look through the keys of all runs before.
        await redis.flushall();
      }),
      { numRuns: 250 },
    );
    expect(commandsRun).toBeGreaterThan(2500);
  }, 60_000);
});

import { SUBSCRIPTIONS } from '../plan.js';
import type { Stage } from '../stage.js';
import { indent, printTitle, type Screen } from './screen.js';

/** What was started. */
export function printStage({ service, hasPrivateRedis }: Stage, tookMs: number, screen: Screen): void {
  const redis = hasPrivateRedis ? 'with a private Redis' : 'on the Redis of REDIS_URL, under a prefix of its own';
  const handlers = Object.entries(SUBSCRIPTIONS).map(
    ([name, kinds]) => `${name} (${kinds === '*' ? 'all' : kinds.join(', ')})`,
  );
  printTitle('1  A service', `started in ${(tookMs / 1000).toFixed(1)} s, ${redis}`, screen);
  screen.print(indent(`callback  http://127.0.0.1:${service.port}/callback`));
  screen.print(indent(`handlers  ${handlers.join(', ')}`));
  screen.print(indent('          from examples/handlers; each hands what it gets to a system behind it, over HTTP'));
  screen.print();
}

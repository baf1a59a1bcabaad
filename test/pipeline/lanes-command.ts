import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Model } from './lanes-model.js';
import { actualState, expectedState, type World } from './lanes-world.js';

export type Command = fc.AsyncCommand<Model, World>;
/** What becomes of the dispatches that a script gave to its caller. */
export type Afterwards = 'dispatch' | 'crash' | 'postpone';

export const afterwards = fc.constantFrom<Afterwards>('dispatch', 'dispatch', 'dispatch', 'crash', 'postpone');
/** Which of several, whatever their number. */
export const pick = fc.nat({ max: 50 });

/** Runs on model and Redis, compares what both answered, and afterwards all they keep. */
export function command(
  name: string,
  check: (m: Model) => boolean,
  run: (m: Model, w: World) => Promise<void>,
): Command {
  return {
    check,
    async run(model, world) {
      await run(model, world);
      expect(await actualState(world, model)).toEqual(expectedState(model));
    },
    toString: () => name,
  };
}

export const chosen = <Value>(values: Iterable<Value>, nth: number): Value | undefined => {
  const all = [...values];
  return all[nth % Math.max(1, all.length)];
};

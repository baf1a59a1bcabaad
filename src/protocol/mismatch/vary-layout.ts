import type { Variation } from './find-signing.js';
import { type Layout, withoutSeparators } from './signing.js';

const PARTS = ['method', 'target', 'digest', 'content type', 'timestamp'] as const;
const SEPARATORS: readonly (readonly [what: string, separator: string])[] = [
  ['newlines', '\n'],
  ['carriage returns and newlines', '\r\n'],
  ['spaces', ' '],
  ['colons', ':'],
  ['dots', '.'],
  ['commas', ','],
  ['bars', '|'],
  ['ampersands', '&'],
  ['semicolons', ';'],
  ['hyphens', '-'],
];
const REMEDY =
  'have the sender put method, target, digest, content type and timestamp together, in this order, with nothing between them';

/** How the parts may have been put together. */
export function* varyLayout(): Generator<Variation> {
  for (const [what, separator] of SEPARATORS) {
    yield layout(`with ${what} between the parts`, (parts) => parts.join(separator));
    yield layout(`with ${what} after each part`, (parts) => parts.map((part) => part + separator).join(''));
  }
  const orders = permutations([0, 1, 2, 3, 4]).slice(1);
  for (const order of orders) {
    const named = order.map((index) => PARTS[index]).join(', ');
    const reordered = (parts: readonly string[]) => order.map((index) => parts[index] ?? '');
    const inOrder = `in the order ${named}`;
    yield { ...layout(inOrder, (parts) => withoutSeparators(reordered(parts))), alone: true };
    for (const [what, separator] of SEPARATORS) {
      const arrange: Layout = (parts) => reordered(parts).join(separator);
      yield { ...layout(`${inOrder}, with ${what} between them`, arrange), alone: true };
    }
  }
}

function layout(how: string, arrange: Layout): Variation {
  const cause = {
    name: 'layout',
    finding: `the sender put the parts of the string to sign together ${how}`,
    remedy: REMEDY,
  };
  return { set: { layout: arrange }, cause };
}

/** All orders, the given one first. */
function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

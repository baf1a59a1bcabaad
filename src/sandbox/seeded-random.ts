/** A source of numbers from 0 (included) to 1 (excluded). */
export type Random = () => number;

/**
 * Numbers that depend on the seed and the purpose alone: whoever asks first, and however many run at once, the same
 * purpose draws the same numbers (mulberry32, started from an FNV-1a hash).
 */
export function seededRandom(seed: number, ...purpose: readonly (string | number)[]): Random {
  let state = fnv1a(JSON.stringify([seed, ...purpose]));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

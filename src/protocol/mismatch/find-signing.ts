import type { Cause } from './cause.js';
import { type Signing, signatureOf } from './signing.js';

/** Something that a sender may have done otherwise. */
export interface Variation {
  /** The pieces that are others then. */
  set: Partial<Signing>;
  cause: Cause;
  /** Not tried together with another: there are too many of its kind, or it takes too long. */
  alone?: true;
}

/** The way to sign as the contract has it, with one of the secrets, and the ways that may have been taken instead. */
export interface Candidates {
  base: Signing;
  variations: readonly Variation[];
}

/** The causes that give the signature received (none: it is the contract's), if any do; how many ways were tried. */
export interface Found {
  causes: Cause[] | undefined;
  tried: number;
}

/** Tries the contract's way, each variation by itself, and each two that change different pieces, for each secret. */
export function findSigning(candidates: readonly Candidates[], received: Buffer): Found {
  let tried = 0;
  const fits = (signing: Signing) => {
    tried++;
    return signatureOf(signing).equals(received);
  };
  for (const { base } of candidates) {
    if (fits(base)) return { causes: [], tried };
  }
  for (const { base, variations } of candidates) {
    for (const one of variations) {
      if (fits({ ...base, ...one.set })) return { causes: [one.cause], tried };
    }
  }
  for (const { base, variations } of candidates) {
    for (const [one, other] of pairs(variations)) {
      if (fits({ ...base, ...one.set, ...other.set })) return { causes: [one.cause, other.cause], tried };
    }
  }
  return { causes: undefined, tried };
}

/** The likeliest first: both early in the list. */
function* pairs(variations: readonly Variation[]): Generator<[Variation, Variation]> {
  const pairable = variations.filter(({ alone }) => !alone);
  for (const [index, other] of pairable.entries()) {
    for (const one of pairable.slice(0, index)) {
      if (!Object.keys(one.set).some((piece) => piece in other.set)) yield [one, other];
    }
  }
}

/** Those that change something, each with what it changes alone. */
export function effective(base: Signing, variations: Iterable<Variation>): Variation[] {
  return [...variations].flatMap((variation) => {
    const changed = Object.entries(variation.set).filter(
      ([piece, value]) => !same(base[piece as keyof Signing], value),
    );
    return changed.length === 0 ? [] : [{ ...variation, set: Object.fromEntries(changed) }];
  });
}

function same(one: Signing[keyof Signing], other: unknown): boolean {
  return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other;
}

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { score, timestampOfScore } from '../../src/pipeline/score.js';

const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
const NATURAL_ORDER = ['started', 'live', 'unheard-of', 'ended', 'on-demand'];
const time = fc.integer({ min: 0, max: LATEST });
const kind = fc.constantFrom(...NATURAL_ORDER);

describe('the score of a notification', () => {
  it('orders by time first, whatever the kinds', () => {
    fc.assert(
      fc.property(time, time, kind, kind, (at, later, one, other) => {
        fc.pre(at < later);
        expect(score(at, one)).toBeLessThan(score(later, other));
      }),
    );
  });

  it('orders by the natural order of kinds where times are equal', () => {
    fc.assert(
      fc.property(time, (at) => {
        const scores = NATURAL_ORDER.map((one) => score(at, one));
        expect(scores).toEqual([...scores].sort((a, b) => a - b));
        expect(new Set(scores).size).toBe(scores.length);
      }),
    );
  });

  it('treats every kind it does not know alike, names of its own objects among them', () => {
    const scores = ['x', 'STARTED', 'toString', '__proto__', 'constructor', ''].map((one) => score(1000, one));
    expect(new Set(scores)).toEqual(new Set([score(1000, 'unheard-of')]));
  });

  it('is a whole number that a double keeps exactly, and gives the time back', () => {
    fc.assert(
      fc.property(time, kind, (at, one) => {
        expect(Number.isSafeInteger(score(at, one))).toBe(true);
        expect(timestampOfScore(score(at, one))).toBe(at);
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  type FaultSource,
  planAttempt,
  planNotification,
  streamSkewMs,
} from '../../../src/sandbox/delivery/fault-plan.js';
import { ALL_FAULTS, NO_FAULTS } from '../../../src/sandbox/delivery/faults.js';

const source: FaultSource = { faults: ALL_FAULTS, seed: 7, reorderWindowMs: 500 };
const places = Array.from({ length: 2_000 }, (_, index) => ({ streamNumber: 1 + index, name: 'ended' }));

function share(count: number): number {
  return count / places.length;
}

describe('the fault plan', () => {
  it('is the same for the same seed, in whatever order it is asked for', () => {
    const forwards = places.map((place) => planNotification(source, place));
    const backwards = [...places].reverse().map((place) => planNotification(source, place));
    expect(backwards.reverse()).toEqual(forwards);
  });

  it('is another for another seed', () => {
    const other = places.map((place) => planNotification({ ...source, seed: 8 }, place));
    expect(other).not.toEqual(places.map((place) => planNotification(source, place)));
  });

  it('has each fault about as often as asked for', () => {
    const plans = places.map((place) => planNotification(source, place));
    const repeats = places.map((place) => planAttempt(source, place, 2));
    expect(share(plans.filter((plan) => plan.heldBackMs > 0).length)).toBeCloseTo(ALL_FAULTS.reorder, 1);
    expect(share(plans.filter((plan) => plan.repeatedAfterMs !== undefined).length)).toBeCloseTo(ALL_FAULTS.repeat, 1);
    expect(share(plans.filter((plan) => plan.forgery !== undefined).length)).toBeCloseTo(ALL_FAULTS.badSignature, 1);
    expect(new Set(plans.map((plan) => plan.forgery)).size).toBe(6);
    expect(share(repeats.filter((plan) => plan.lostAck).length)).toBeCloseTo(ALL_FAULTS.lostAck, 1);
    expect(share(repeats.filter((plan) => plan.turnTags !== undefined).length)).toBeCloseTo(ALL_FAULTS.retag, 1);
    expect(share(repeats.filter((plan) => plan.restamp).length)).toBeCloseTo(ALL_FAULTS.restamp, 1);
  });

  it('keeps to the bounds of the window and the skew, on both sides of zero', () => {
    const held = places.map((place) => planNotification(source, place).heldBackMs);
    expect(Math.max(...held)).toBeLessThanOrEqual(500);
    expect(Math.max(...held)).toBeGreaterThan(450);
    for (const skews of [
      places.map(({ streamNumber }) => streamSkewMs(source, streamNumber)),
      places.map((place) => planAttempt(source, place, 1).skewMs),
    ]) {
      expect(Math.max(...skews)).toBeGreaterThan(4_500);
      expect(Math.min(...skews)).toBeLessThan(-4_500);
      expect(Math.max(...skews.map(Math.abs))).toBeLessThanOrEqual(5_000);
    }
  });

  it('changes nothing about a first attempt but its clock and its answer', () => {
    const firsts = places.map((place) => planAttempt(source, place, 1));
    expect(firsts.some((plan) => plan.turnTags !== undefined || plan.restamp)).toBe(false);
  });

  it('does nothing without faults', () => {
    const none = { ...source, faults: NO_FAULTS };
    for (const place of places) {
      expect(planNotification(none, place)).toEqual({ heldBackMs: 0, forgery: undefined, repeatedAfterMs: undefined });
      expect(planAttempt(none, place, 2)).toMatchObject({ lostAck: false, turnTags: undefined, restamp: false });
    }
  });
});

import { describe, expect, it } from '@jest/globals';
import { ALL_FAULTS, formatFaults, NO_FAULTS, parseFaults } from '../../../src/sandbox/delivery/faults.js';

describe('parseFaults', () => {
  it('reads chances and times', () => {
    expect(parseFaults('reorder=0.3, repeat=0.2,lost-ack=0.1,retag=0.2,skew=5s,bad-signature=0.05')).toEqual({
      reorder: 0.3,
      repeat: 0.2,
      lostAck: 0.1,
      retag: 0.2,
      restamp: 0,
      skewMs: 5_000,
      badSignature: 0.05,
    });
  });

  it('lets all and none be changed by what follows', () => {
    expect(parseFaults('all,skew=0')).toEqual({ ...ALL_FAULTS, skewMs: 0 });
    expect(parseFaults('none')).toEqual(NO_FAULTS);
    expect(parseFaults('')).toEqual(NO_FAULTS);
  });

  it.each([
    ['reorder=1.5', 'faults: reorder: expected a chance from 0 to 1, received "1.5"'],
    ['reorder', 'faults: reorder: expected a chance from 0 to 1, received ""'],
    ['skew=soon', 'faults: skew: expected a time such as 5s or 500ms, received "soon"'],
    ['toString=1', 'faults: there is no fault "toString"; there are reorder, repeat'],
  ])('refuses %s and says what it expects', (text, problem) => {
    expect(() => parseFaults(text)).toThrow(problem);
  });

  it('is undone by formatFaults', () => {
    expect(parseFaults(formatFaults(ALL_FAULTS))).toEqual(ALL_FAULTS);
    expect(formatFaults(NO_FAULTS)).toBe('none');
  });
});

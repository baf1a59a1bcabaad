import { describe, expect, it } from '@jest/globals';
import { expectArrivals } from '../../src/demo/expect-arrivals.js';
import { planSendings, SUBSCRIPTIONS } from '../../src/demo/plan.js';
import { notification } from '../helpers/notifications.js';

const sending = (what: string, stream: string, at: number, rest: { repeatOf?: number; forged?: boolean } = {}) => ({
  notification: notification({ what, stream, at }),
  repeatOf: rest.repeatOf,
  forged: rest.forged ?? false,
});

describe('what is to arrive', () => {
  it('is the first telling of each fact, for those who subscribe to its kind, by timestamp', () => {
    const ended = sending('ended', 'a', 9000);
    const started = sending('started', 'a', 1000);
    const live = sending('live', 'b', 5000);
    const repeat = sending('started', 'a', 2000, { repeatOf: 2 });
    const forged = sending('ended', 'b', 9000, { forged: true });
    const expected = expectArrivals([ended, live, started, repeat, forged], { starts: ['started'], all: '*' });
    expect(expected).toEqual(
      new Map([
        ['starts', new Map([['a', [started.notification]]])],
        [
          'all',
          new Map([
            ['a', [started.notification, ended.notification]],
            ['b', [live.notification]],
          ]),
        ],
      ]),
    );
  });
});

describe('what the demo sends', () => {
  const sendings = planSendings(Date.parse('2026-01-01T12:00:00.000Z'));

  it('is out of order in every stream', () => {
    for (const stream of ['cup-final', 'keynote', 'concert']) {
      const times = sendings
        .filter(({ notification, repeatOf, forged }) => notification.data.streamId === stream && !repeatOf && !forged)
        .map(({ atS }) => atS);
      expect(times).toHaveLength(new Set(times).size);
      expect(times).not.toEqual(times.toSorted((a, b) => a - b));
    }
  });

  it('has repeats of each sort: byte for byte, tags reordered, a new timestamp, both', () => {
    const repeats = sendings.filter(({ repeatOf }) => repeatOf !== undefined);
    const sorts = repeats.map((repeat) => {
      const first = sendings[(repeat.repeatOf ?? 0) - 1]?.notification;
      const again = repeat.notification;
      expect(again.what).toBe(first?.what);
      return { tags: String(again.data.tags) !== String(first?.data.tags), time: again.timestamp !== first?.timestamp };
    });
    expect(sorts).toContainEqual({ tags: false, time: false });
    expect(sorts).toContainEqual({ tags: true, time: false });
    expect(sorts).toContainEqual({ tags: false, time: true });
    expect(sorts).toContainEqual({ tags: true, time: true });
  });

  it('gives every handler something to do', () => {
    const expected = expectArrivals(sendings, SUBSCRIPTIONS);
    const counts = [...expected].map(([handler, streams]) => [handler, [...streams.values()].flat().length]);
    expect(Object.fromEntries(counts)).toEqual({ catalogue: 6, notify: 6, archive: 6, audit: 16 });
  });
});

import { describe, expect, it } from '@jest/globals';
import { expectArrivals } from '../../src/demo/expect-arrivals.js';
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

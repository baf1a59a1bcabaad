import { describe, expect, it } from '@jest/globals';
import { readRequests } from '../../src/demo/read-requests.js';
import { goodDeliveries } from './evidence.js';

describe("the platform's requests, read from its books", () => {
  const deliveries = goodDeliveries();
  const sent = readRequests(deliveries, { startedAt: 1000, speed: 20 });

  it('are all there, in the order of sending, at their real times', () => {
    expect(sent).toHaveLength(deliveries.flatMap(({ attempts }) => attempts).length);
    expect(sent.map(({ number }) => number)).toEqual(sent.map((_, at) => at + 1));
    expect(sent.map(({ at }) => at)).toEqual(sent.map((_, at) => 1001 + at));
  });

  it('have names that tell playlists apart, and times after the start of their stream', () => {
    const [first, , third, , , sixth] = sent;
    expect(first).toMatchObject({ name: 'on-demand mpd', atS: 96 });
    expect(third).toMatchObject({ name: 'ended', atS: 90 });
    expect(sixth).toMatchObject({ name: 'started', atS: 0 });
  });

  it('are new, repeats of a certain one, or forged', () => {
    expect(sent[6]).toMatchObject({ repeatOf: 6, forged: false, faults: ['retag'] });
    expect(sent[9]).toMatchObject({ repeatOf: 9, forged: false });
    expect(sent[8]).toMatchObject({ repeatOf: undefined, faults: ['lost-ack'] });
    const forged = sent.filter((request) => request.forged);
    expect(forged).toMatchObject([{ name: 'ended', repeatOf: undefined, answer: 401 }]);
    // Its original is new, although it comes after the copy.
    const original = sent.find((one) => one.notification === forged[0]?.notification && !one.forged);
    expect(original).toMatchObject({ repeatOf: undefined, answer: 200 });
  });

  it('have the reason for an answer that never came', () => {
    const [delivery] = goodDeliveries();
    if (!delivery?.attempts[0]) throw new Error('no attempt');
    delivery.attempts[0].answer = { noAnswer: 'ECONNREFUSED' };
    expect(readRequests([delivery], { startedAt: 0, speed: 1 })[0]?.answer).toBe('ECONNREFUSED');
  });
});

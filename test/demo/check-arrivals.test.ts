import { beforeEach, describe, expect, it } from '@jest/globals';
import { checkArrivals } from '../../src/demo/check-arrivals.js';
import type { Arrival } from '../../src/demo/systems.js';
import { goodEvidence, indexOf } from './evidence.js';

let evidence: ReturnType<typeof goodEvidence>;
beforeEach(() => {
  evidence = goodEvidence();
});

const check = () => checkArrivals(evidence.expected, evidence.arrivals);
const at = (handler: string, stream: string, what: string) => indexOf(evidence.arrivals, handler, stream, what);

function copyOf(handler: string, stream: string, what: string): Arrival {
  return JSON.parse(JSON.stringify(evidence.arrivals[at(handler, stream, what)]));
}

describe('whether what arrived is what was sent', () => {
  it('is so where every handler got everything once, in order', () => {
    expect(check()).toEqual([]);
  });

  it('does not depend on how streams and handlers are mixed', () => {
    const lanes = new Map<string, Arrival[]>();
    for (const arrival of evidence.arrivals) {
      const name = arrival.handler + arrival.notification.data.streamId;
      lanes.set(name, [...(lanes.get(name) ?? []), arrival]);
    }
    const mixed = [...Array(10).keys()].flatMap((place) => [...lanes.values()].flatMap((lane) => lane[place] ?? []));
    expect(mixed).toHaveLength(evidence.arrivals.length);
    expect(checkArrivals(evidence.expected, mixed)).toEqual([]);
  });

  it('tells what was lost', () => {
    evidence.arrivals.splice(at('notify', 'sandbox#2.demo', 'live'), 1);
    expect(check()).toEqual([
      "notify, stream sandbox#2.demo: 'live' of 2026-01-01T12:00:04.000Z was sent and never came",
    ]);
  });

  it('takes an attempt that was answered with an error for no arrival', () => {
    const arrival = evidence.arrivals[at('catalogue', 'sandbox#3.demo', 'ended')] as Arrival;
    arrival.status = 503;
    expect(check()).toEqual([
      "catalogue, stream sandbox#3.demo: 'ended' of 2026-01-01T12:01:30.000Z was sent and never came",
    ]);
  });

  it('tells what came twice', () => {
    const index = at('archive', 'sandbox#1.demo', 'on-demand');
    evidence.arrivals.splice(index, 0, { ...copyOf('archive', 'sandbox#1.demo', 'on-demand'), id: 'another' });
    expect(check()).toEqual(["archive, stream sandbox#1.demo: 'on-demand' of 2026-01-01T12:01:35.000Z came 2 times"]);
  });

  it('tells what came out of order', () => {
    const [ended] = evidence.arrivals.splice(at('catalogue', 'sandbox#2.demo', 'ended'), 1) as [Arrival];
    evidence.arrivals.splice(at('catalogue', 'sandbox#2.demo', 'started'), 0, ended);
    expect(check()).toEqual([
      "catalogue, stream sandbox#2.demo: 'started' of 2026-01-01T12:00:00.000Z came after 'ended' of 2026-01-01T12:01:30.000Z",
    ]);
  });

  it('tells what came changed', () => {
    const arrival = evidence.arrivals[at('audit', 'sandbox#3.demo', 'thumbnail')] as Arrival;
    arrival.notification.data.width = 641;
    expect(check()).toEqual([
      "audit, stream sandbox#3.demo: 'thumbnail' of 2026-01-01T12:00:06.000Z was sent and never came",
      "audit, stream sandbox#3.demo: 'thumbnail' of 2026-01-01T12:00:06.000Z came, and was not to come like this",
    ]);
  });

  it('takes another order of the tags for no change', () => {
    const { notification } = evidence.arrivals[at('catalogue', 'sandbox#1.demo', 'started')] as Arrival;
    notification.data.tags = (notification.data.tags as string[]).toReversed();
    expect(check()).toEqual([]);
  });

  it('tells that something forged came', () => {
    const copy = copyOf('audit', 'sandbox#3.demo', 'ended');
    copy.notification.sessionId = `forged-${copy.notification.sessionId}`;
    evidence.arrivals.push(copy);
    expect(check()).toEqual([
      "audit, stream sandbox#3.demo: 'ended' of 2026-01-01T12:01:30.000Z came, and was not to come like this",
    ]);
  });

  it('tells that a handler got a kind that it does not subscribe to', () => {
    evidence.arrivals.push({ ...copyOf('audit', 'sandbox#2.demo', 'live'), handler: 'catalogue' });
    expect(check()).toEqual([
      "catalogue, stream sandbox#2.demo: 'live' of 2026-01-01T12:00:04.000Z came, and was not to come like this",
    ]);
  });

  it('tells that something of a stream came that nobody had told of', () => {
    const arrival = copyOf('audit', 'sandbox#2.demo', 'live');
    arrival.notification.data.streamId = 'elsewhere';
    evidence.arrivals.push(arrival);
    expect(check()).toEqual([
      "audit: 'live' of 2026-01-01T12:00:04.000Z came, of a stream that it was to get nothing of",
    ]);
  });

  it('tells of a handler that was not to be there', () => {
    evidence.arrivals.push({ ...copyOf('audit', 'sandbox#2.demo', 'live'), handler: 'spy' });
    expect(check()).toEqual(["spy: 'live' of 2026-01-01T12:00:04.000Z came, and there is to be no such handler"]);
  });
});

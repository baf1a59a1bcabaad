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
    evidence.arrivals.splice(at('notify', 'keynote', 'live'), 1);
    expect(check()).toEqual(["notify, stream keynote: 'live' of 2026-01-01T12:00:04.000Z was sent and never came"]);
  });

  it('takes an attempt that was answered with an error for no arrival', () => {
    const arrival = evidence.arrivals[at('catalogue', 'concert', 'ended')] as Arrival;
    arrival.status = 503;
    expect(check()).toEqual(["catalogue, stream concert: 'ended' of 2026-01-01T12:01:30.000Z was sent and never came"]);
  });

  it('tells what came twice', () => {
    evidence.arrivals.push({ ...copyOf('archive', 'cup-final', 'on-demand'), id: 'another' });
    expect(check()).toEqual(["archive, stream cup-final: 'on-demand' of 2026-01-01T12:01:35.000Z came 2 times"]);
  });

  it('tells what came out of order', () => {
    const [ended] = evidence.arrivals.splice(at('catalogue', 'keynote', 'ended'), 1) as [Arrival];
    evidence.arrivals.splice(at('catalogue', 'keynote', 'started'), 0, ended);
    expect(check()).toEqual([
      "catalogue, stream keynote: 'started' of 2026-01-01T12:00:00.000Z came after 'ended' of 2026-01-01T12:01:30.000Z",
    ]);
  });

  it('tells what came changed', () => {
    const arrival = evidence.arrivals[at('audit', 'concert', 'thumbnail')] as Arrival;
    arrival.notification.data.width = 641;
    expect(check()).toEqual([
      "audit, stream concert: 'thumbnail' of 2026-01-01T12:00:06.000Z was sent and never came",
      "audit, stream concert: 'thumbnail' of 2026-01-01T12:00:06.000Z came, and was not to come like this",
    ]);
  });

  it('tells that something forged came', () => {
    const forged = evidence.sent.find((request) => request.forged);
    evidence.arrivals.push({ ...copyOf('audit', 'concert', 'ended'), notification: forged?.notification as never });
    expect(check()).toEqual([
      "audit, stream concert: 'ended' of 2026-01-01T12:01:30.000Z came, and was not to come like this",
    ]);
  });

  it('tells that a handler got a kind that it does not subscribe to', () => {
    evidence.arrivals.push({ ...copyOf('audit', 'keynote', 'live'), handler: 'catalogue' });
    expect(check()).toEqual([
      "catalogue, stream keynote: 'live' of 2026-01-01T12:00:04.000Z came, and was not to come like this",
    ]);
  });

  it('tells that something of a stream came that nobody had told of', () => {
    const arrival = copyOf('audit', 'keynote', 'live');
    arrival.notification.data.streamId = 'elsewhere';
    evidence.arrivals.push(arrival);
    expect(check()).toEqual([
      "audit: 'live' of 2026-01-01T12:00:04.000Z came, of a stream that it was to get nothing of",
    ]);
  });

  it('tells of a handler that was not to be there', () => {
    evidence.arrivals.push({ ...copyOf('audit', 'keynote', 'live'), handler: 'spy' });
    expect(check()).toEqual(["spy: 'live' of 2026-01-01T12:00:04.000Z came, and there is to be no such handler"]);
  });
});

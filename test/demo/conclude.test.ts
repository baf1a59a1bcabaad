import { beforeEach, describe, expect, it } from '@jest/globals';
import { conclude } from '../../src/demo/conclude.js';
import { printTaken } from '../../src/demo/report/taken.js';
import type { Sent } from '../../src/demo/send-notifications.js';
import type { Arrival } from '../../src/demo/systems.js';
import { goodEvidence, indexOf, memoryScreen } from './evidence.js';

let evidence: ReturnType<typeof goodEvidence>;
let screen: ReturnType<typeof memoryScreen>;
beforeEach(() => {
  evidence = goodEvidence();
  screen = memoryScreen();
});

describe('the end of the demo', () => {
  it('is exit code 0 where all arrived, with the figures', () => {
    expect(conclude(evidence, screen)).toBe(0);
    expect(screen.text()).toContain('22 requests: 16 notifications, 5 repeats, 1 forged');
    expect(screen.text()).toContain('34/34: catalogue 6/6, notify 6/6, archive 6/6, audit 16/16');
    expect(screen.text()).toMatch(/What arrived is what was sent: .* once, in order\.$/);
  });

  it('is exit code 1 where a notification was lost, and says which', () => {
    evidence.arrivals.splice(indexOf(evidence.arrivals, 'archive', 'concert', 'ended'), 1);
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toContain('33/34: catalogue 6/6, notify 6/6, archive 5/6, audit 16/16');
    expect(screen.text()).toContain('What arrived is not what was sent');
    expect(screen.text()).toContain("archive, stream concert: 'ended' of 2026-01-01T12:01:30.000Z was sent and never");
    printTaken(evidence, screen);
    expect(screen.text()).toMatch(/archive +never +2\.\d+/);
  });

  it('is exit code 1 where one came out of order, and says which', () => {
    const started = indexOf(evidence.arrivals, 'catalogue', 'keynote', 'started');
    const pair = evidence.arrivals.slice(started, started + 2) as [Arrival, Arrival];
    evidence.arrivals.splice(started, 2, { ...pair[1], at: pair[0].at }, { ...pair[0], at: pair[1].at });
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toMatch(/catalogue, stream keynote: 'started' of \S+ came after 'ended' of/);
    printTaken(evidence, screen);
    expect(screen.text()).toMatch(/catalogue .* 2\.\d+ late/);
  });

  it('is exit code 1 where one came twice', () => {
    evidence.arrivals.push({ ...(evidence.arrivals[0] as Arrival), at: 9000 });
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toContain('came 2 times');
    printTaken(evidence, screen);
    expect(screen.text()).toContain('2 times');
  });

  it.each([
    ['a repeat is taken for new', 5, { duplicate: false }, 'expected 200, a duplicate of id-2; received 200 as new'],
    [
      'a repeat gets another id',
      9,
      { id: 'id-1' },
      'expected 200, a duplicate of id-6; received 200, a duplicate of id-1',
    ],
    ['something new is taken for a repeat', 3, { duplicate: true }, 'expected 200 as new; received 200, a duplicate'],
    ['a forged one is accepted', 10, { status: 200 }, 'expected 401; received 200 as new'],
    ['one is never accepted', 1, { status: 503, tries: 5 }, 'expected 200 as new; received 503'],
  ])('is exit code 1 where %s', (_, number, change: Partial<Sent>, sentence) => {
    Object.assign(evidence.sent[number - 1] as Sent, change);
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toContain(`request #${number}: ${sentence}`);
  });

  it('is exit code 0 where one had to be sent again after a 503, and had been kept all the same', () => {
    Object.assign(evidence.sent[0] as Sent, { tries: 2, duplicate: true });
    expect(conclude(evidence, screen)).toBe(0);
  });

  it('says where the machine was too slow to promise order', () => {
    evidence.arrivals.pop();
    (evidence.sent.at(-1) as Sent).at = 5000;
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toContain('longer than the 2000 ms for which order is promised');
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { conclude } from '../../src/demo/conclude.js';
import type { Sent } from '../../src/demo/read-requests.js';
import { printTaken } from '../../src/demo/report/taken.js';
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
    expect(screen.text()).toContain('22 requests: 19 notifications, 2 repeats, 1 forged');
    expect(screen.text()).toContain('40/40: catalogue 6/6, notify 6/6, archive 9/9, audit 19/19');
    expect(screen.text()).toMatch(/What arrived is what was sent: .* once, in order\.$/);
  });

  it('is exit code 1 where a notification was lost, and says which', () => {
    evidence.arrivals.splice(indexOf(evidence.arrivals, 'archive', 'sandbox#3.demo', 'ended'), 1);
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toContain('39/40: catalogue 6/6, notify 6/6, archive 8/9, audit 19/19');
    expect(screen.text()).toContain('What arrived is not what was sent');
    expect(screen.text()).toContain(
      "archive, stream sandbox#3.demo: 'ended' of 2026-01-01T12:01:30.000Z was sent and never",
    );
    printTaken(evidence, screen);
    expect(screen.text()).toMatch(/archive +never +2\.\d+/);
  });

  it('is exit code 1 where one came out of order, and says which', () => {
    const started = indexOf(evidence.arrivals, 'catalogue', 'sandbox#2.demo', 'started');
    const pair = evidence.arrivals.slice(started, started + 2) as [Arrival, Arrival];
    evidence.arrivals.splice(started, 2, { ...pair[1], at: pair[0].at }, { ...pair[0], at: pair[1].at });
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toMatch(/catalogue, stream sandbox#2.demo: 'started' of \S+ came after 'ended' of/);
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
    ['a repeat is refused', 7, 400, 'expected 200; received 400'],
    ['something new is refused', 1, 401, 'expected 200; received 401'],
    ['a forged one is accepted', 18, 200, 'expected 401; received 200'],
    ['a forged one is told why', 18, 400, 'expected 401; received 400'],
    ['one is never accepted', 1, 503, 'expected 200; received 503'],
    ['one is never answered', 1, 'ECONNRESET', 'expected 200; received ECONNRESET'],
  ])('is exit code 1 where %s', (_, number, answer, sentence) => {
    (evidence.sent[number - 1] as Sent).answer = answer;
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toContain(`request #${number}: ${sentence}`);
  });

  it('is exit code 0 where one was answered 503, and accepted when it was sent again', () => {
    (evidence.sent[8] as Sent).answer = 503;
    expect(conclude(evidence, screen)).toBe(0);
  });

  it('says where the machine was too slow to promise order', () => {
    evidence.arrivals.pop();
    (evidence.sent.at(-1) as Sent).at = 5000;
    expect(conclude(evidence, screen)).toBe(1);
    expect(screen.text()).toMatch(/one was sent \d+ ms after a later one [\s\S]* longer than the 3000 ms/);
  });
});

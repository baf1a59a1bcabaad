import { describe, expect, it } from '@jest/globals';
import { retryGuidance, STATUSES } from '../../src/protocol/statuses.js';

describe('retryGuidance', () => {
  it.each(Object.entries(STATUSES))('follows the named status %s', (name, status) => {
    expect(retryGuidance(status.http, name)).toBe(status.retry);
  });

  it.each([
    [400, 'never'],
    [401, 'never'],
    [404, 'never'],
    [408, 'immediately-then-backoff'],
    [429, 'never'],
    [500, 'immediately-then-backoff'],
    [502, 'immediately-then-backoff'],
    [503, 'once'],
    [504, 'immediately-then-backoff'],
  ])('goes by the code %i where there is no status', (http, guidance) => {
    expect(retryGuidance(http)).toBe(guidance);
  });

  it('goes by the code where the status is unknown, belongs to another code, or is a name of Object.prototype', () => {
    expect(retryGuidance(500, 'database-on-fire')).toBe('immediately-then-backoff');
    expect(retryGuidance(500, 'ok')).toBe('immediately-then-backoff');
    expect(retryGuidance(503, 'constructor')).toBe('once');
  });
});

describe('STATUSES', () => {
  it('are those of the contract', () => {
    const rows = Object.entries(STATUSES).map(([name, { http, retry, operations }]) => [http, name, retry, operations]);
    const all = ['register', 'publish', 'replay', 'restream'];
    const backoff = 'immediately-then-backoff';
    expect(rows).toEqual([
      [200, 'ok', 'never', all],
      [401, 'unauthorized', 'never', all],
      [503, 'capacity', 'once', all],
      [402, 'geo-restricted', 'never', ['publish', 'replay']],
      [403, 'geo-blocked', 'never', ['publish', 'replay']],
      [409, 'conflicting-capability', 'never', ['publish']],
      [415, 'invalid-source-uri', 'never', ['publish']],
      [415, 'requires-streaming', 'never', ['restream']],
      [408, 'request-timeout', backoff, ['replay']],
      [504, 'rate-limited', backoff, ['publish', 'replay']],
    ]);
  });
});

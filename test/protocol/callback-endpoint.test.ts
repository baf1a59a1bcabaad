import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  callbackSchema,
  callbackTarget,
  formatCallback,
  parseCallback,
  resolveCallback,
} from '../../src/protocol/callback-endpoint.js';

describe('resolveCallback', () => {
  it('fills in the defaults of the contract', () => {
    const defaults = { protocol: 'http', port: 80, method: 'POST', path: '/', query: '' };
    expect(resolveCallback({ host: 'h' })).toEqual({ ...defaults, host: 'h' });
  });

  it('takes 443 as the port of https', () => {
    expect(resolveCallback({ host: 'h', protocol: 'https' }).port).toBe(443);
  });

  it('leaves what is given as it is', () => {
    const given = { protocol: 'https', host: 'h', port: 8443, method: 'PUT', path: '/a', query: 'b=c&flag' } as const;
    expect(resolveCallback(given)).toEqual(given);
  });
});

describe('callbackSchema', () => {
  it.each([
    ['no host', {}],
    ['an empty host', { host: '' }],
    ['a port that is text', { host: 'h', port: '80' }],
    ['port 0', { host: 'h', port: 0 }],
    ['port 65536', { host: 'h', port: 65_536 }],
    ['another method', { host: 'h', method: 'DELETE' }],
    ['another protocol', { host: 'h', protocol: 'ftp' }],
  ])('refuses %s', (_name, callback) => {
    expect(callbackSchema.safeParse(callback).success).toBe(false);
  });
});

describe('callbackTarget', () => {
  it('is the path, with the query where there is one', () => {
    expect(callbackTarget(resolveCallback({ host: 'h', path: '/a' }))).toBe('/a');
    expect(callbackTarget(resolveCallback({ host: 'h', path: '/a', query: 'b&c=%2F' }))).toBe('/a?b&c=%2F');
  });
});

describe('formatCallback and parseCallback', () => {
  it('write and read an endpoint as the platform returns it', () => {
    const endpoint = 'PUT https://example.com:8443/a/b?c=d&flag';
    expect(parseCallback(endpoint)).toEqual({
      protocol: 'https',
      host: 'example.com',
      port: 8443,
      method: 'PUT',
      path: '/a/b',
      query: 'c=d&flag',
    });
  });

  it('are each the inverse of the other', () => {
    const callback = fc.record({
      protocol: fc.constantFrom('http' as const, 'https' as const),
      host: fc.oneof(
        fc.domain(),
        fc.ipV4(),
        fc.ipV6().map((address) => `[${address}]`),
      ),
      port: fc.integer({ min: 1, max: 65_535 }),
      method: fc.constantFrom('GET' as const, 'POST' as const, 'PUT' as const),
      path: fc.stringMatching(/^\/[a-zA-Z0-9/%._~-]{0,30}$/),
      query: fc.stringMatching(/^[a-zA-Z0-9=&%?]{0,30}$/),
    });
    fc.assert(fc.property(callback, (resolved) => expect(parseCallback(formatCallback(resolved))).toEqual(resolved)));
  });

  it.each([
    '',
    'POST',
    'http://h:80/',
    'DELETE http://h:80/',
    'POST ftp://h:80/',
    'POST http://h/',
    'POST http://h:99999/',
  ])('take %p for no endpoint', (endpoint) => {
    expect(parseCallback(endpoint)).toBeUndefined();
  });
});

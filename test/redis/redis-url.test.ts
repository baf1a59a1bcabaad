import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl } from '../../src/redis/redis-url.js';

describe('parseRedisUrl', () => {
  it.each([
    ['redis://localhost', { host: 'localhost', port: 6379, db: 0 }],
    ['redis://10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000, db: 3 }],
    ['redis://[::1]:6380', { host: '::1', port: 6380, db: 0 }],
    ['redis://:pass@h', { host: 'h', port: 6379, password: 'pass', db: 0 }],
    ['redis://us%40er:p%2Fa%3Ass%25@h', { host: 'h', port: 6379, username: 'us@er', password: 'p/a:ss%', db: 0 }],
    ['redis://h?db=4&family=6', { host: 'h', port: 6379, db: 4, family: 6 }],
    [
      'rediss://u:p@cache.example.test',
      {
        host: 'cache.example.test',
        port: 6379,
        username: 'u',
        password: 'p',
        db: 0,
        tls: { servername: 'cache.example.test' },
      },
    ],
    ['rediss://10.0.0.1', { host: '10.0.0.1', port: 6379, db: 0, tls: {} }],
    ['unix:///run/redis/redis.sock', { path: '/run/redis/redis.sock', db: 0 }],
    ['redis+unix://u:p%40@/run/a%20b.sock?db=2', { path: '/run/a b.sock', username: 'u', password: 'p@', db: 2 }],
  ])('%s', (url, address) => {
    expect(parseRedisUrl(url)).toEqual({ address });
  });

  it.each([
    'redis:/h',
    'redis://:p#a/ss@h',
    'redis://h/1/2',
    'redis://h:99999',
    'redis://h#x',
    'redis://h?family=5',
    'unix://relative.sock',
    'unix:///a.sock?tls=1',
    '/run/redis.sock',
    'valkey://h',
    '6379',
  ])('refuses %s, without repeating it', (url) => {
    const result = parseRedisUrl(url);
    expect(result).toEqual({ problem: expect.any(String) });
    expect(JSON.stringify(result)).not.toContain(url);
  });
});

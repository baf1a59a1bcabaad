import { describe, expect, it } from '@jest/globals';
import { defineHandler } from '../../src/handlers/define-handler.js';
import type { HandlerContext } from '../../src/handlers/handler.js';
import { resolveHandler } from '../../src/handlers/resolve-handler.js';
import { notification } from '../helpers/notifications.js';

const defaults = { concurrency: 50, attempts: 5, backoffMs: 1000, timeoutMs: 30_000 };

describe('resolveHandler', () => {
  it('fills in every option that the handler leaves open', () => {
    const { handle, ...resolved } = resolveHandler(defineHandler({ name: 'a', on: ['live'], handle() {} }), defaults);
    expect(resolved).toEqual({ name: 'a', on: ['live'], ...defaults, onExhausted: 'continue' });
  });

  it('keeps what the handler says, zero too', () => {
    const own = { concurrency: 1, attempts: 2, backoffMs: 0, timeoutMs: 3, onExhausted: 'park' as const };
    expect(resolveHandler(defineHandler({ name: 'a', on: '*', ...own, handle() {} }), defaults)).toMatchObject(own);
  });

  it('runs the handler as its method', async () => {
    const handler = {
      name: 'a',
      on: '*' as const,
      seen: 0,
      async handle() {
        this.seen += 1;
        return this.seen;
      },
    };
    expect(await resolveHandler(handler, defaults).handle(notification(), {} as HandlerContext)).toBe(1);
  });
});

import { describe, expect, it } from '@jest/globals';
import { defineHandler, isDefinedHandler } from '../../src/handlers/define-handler.js';
import type { HandlerContext, HandlerDefinition } from '../../src/handlers/handler.js';
import { notification } from '../helpers/notifications.js';

const handle = () => {};

/** What a definition that no compiler has seen is answered with. */
function refusal(definition: unknown): string {
  try {
    defineHandler(definition as HandlerDefinition);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
  throw new Error('the definition was accepted');
}

describe('defineHandler', () => {
  it('keeps every option of a definition', () => {
    const options = { concurrency: 10, attempts: 7, backoffMs: 0, timeoutMs: 5, onExhausted: 'park' as const };
    expect(defineHandler({ name: 'a.b_c-9', on: ['started', 'x'], ...options, handle })).toMatchObject({
      name: 'a.b_c-9',
      on: ['started', 'x'],
      ...options,
    });
  });

  it('leaves open what the definition leaves open', () => {
    const { handle: _, ...rest } = defineHandler({ name: 'a', on: '*', concurrency: undefined, handle });
    expect(rest).toEqual({ name: 'a', on: '*' });
  });

  it('hands the notification and the context through, and gives back what the handler gives', async () => {
    const handler = defineHandler({
      name: 'a',
      on: ['started'],
      handle: async ({ data }, { id }) => `${data.streamId} ${id}`,
    });
    const context = { id: 'id-1' } as HandlerContext;
    expect(await handler.handle(notification({ stream: 's-1' }), context)).toBe('s-1 id-1');
  });

  it('calls an instance of a class as its method', () => {
    class Counter {
      readonly name = 'counter';
      readonly on = '*';
      #count = 0;
      handle() {
        this.#count += 1;
        return this.#count;
      }
    }
    const handler = defineHandler(new Counter());
    handler.handle(notification(), {} as HandlerContext);
    expect(handler.handle(notification(), {} as HandlerContext)).toBe(2);
  });

  it('is not changed by what happens to the definition afterwards', () => {
    const on: [string, ...string[]] = ['started'];
    const handler = defineHandler({ name: 'a', on, handle });
    on.push('ended');
    expect(handler.on).toEqual(['started']);
    expect(Object.isFrozen(handler)).toBe(true);
  });

  it('marks what it made, so that another copy of the module knows it', () => {
    const handler = defineHandler({ name: 'a', on: '*', handle });
    expect(isDefinedHandler(handler)).toBe(true);
    expect(Symbol.for('sluice.handler') in handler).toBe(true);
    expect(isDefinedHandler({ name: 'a', on: '*', handle })).toBe(false);
    expect(isDefinedHandler({ ...handler, name: 'not checked!' })).toBe(false);
    expect(isDefinedHandler(null)).toBe(false);
  });

  it('lists all problems of a definition at once, expected against received', () => {
    const definition = {
      name: 'a b',
      on: 'started',
      concurrency: 0,
      attempts: 1.5,
      backoffMs: -1,
      timeoutMs: '30s',
      onExhausted: 'stop',
      handle: 'x',
      retries: 3,
      queue: 'q',
    };
    expect(refusal(definition).split('\n')).toEqual([
      "handler 'a b': 9 problems",
      "  name: expected 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first; received 'a b'",
      "  on: expected '*' or an array of one or more kinds, none twice, each without white space or comma ('*' stands alone); received 'started'",
      '  concurrency: expected a whole number, 1 to 10000; received 0',
      '  attempts: expected a whole number, 1 to 100; received 1.5',
      '  backoffMs: expected a whole number of milliseconds, 0 to 86400000; received -1',
      "  timeoutMs: expected a whole number of milliseconds, 1 to 86400000; received '30s'",
      "  onExhausted: expected 'continue' or 'park'; received 'stop'",
      "  handle: expected a function; received 'x'",
      "  unknown 'retries', 'queue'; expected only name, on, concurrency, attempts, backoffMs, timeoutMs, onExhausted, handle",
    ]);
  });

  it.each([
    ['nothing', undefined, 'nothing'],
    ['null', null, 'null'],
    ['a function', handle, '[Function: handle]'],
    ['an array', [], '[]'],
  ])('refuses %s in place of a definition', (_, definition, received) => {
    expect(refusal(definition)).toBe(`handler: expected an object { name, on, handle, … }; received ${received}`);
  });

  it.each(['', '.a', '-a', 'a:b', 'a/b', 'ä', 'a'.repeat(65), 7, undefined])('refuses the name %p', (name) => {
    expect(refusal({ name, on: '*', handle })).toMatch(/name: expected 1 to 64 letters/);
  });

  it.each([
    [[]],
    [['started', 'started']],
    [['*']],
    [['started', '*']],
    [['a b']],
    [['a,b']],
    [['']],
    [['started', 7]],
    ['started'],
    [undefined],
  ])('refuses the kinds %p', (on) => {
    expect(refusal({ name: 'a', on, handle })).toMatch(/^handler 'a': on: expected '\*' or an array/);
  });

  it.each([
    ['concurrency', [1, 10_000], [0, 10_001, Number.NaN, Number.POSITIVE_INFINITY, null, '5']],
    ['attempts', [1, 100], [0, 101, 2.5]],
    ['backoffMs', [0, 86_400_000], [-1, 86_400_001]],
    ['timeoutMs', [1, 86_400_000], [0, 86_400_001]],
  ])('takes %s within its bounds alone', (option, good, bad) => {
    for (const value of good) {
      expect(defineHandler({ name: 'a', on: '*', [option]: value, handle })).toHaveProperty(option, value);
    }
    for (const value of bad) expect(refusal({ name: 'a', on: '*', [option]: value, handle })).toContain(`${option}: `);
  });

  it('cuts what it repeats of a value', () => {
    expect(refusal({ name: 'x'.repeat(100_000), on: '*', handle }).length).toBeLessThan(400);
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  defineHandler,
  type EndedNotification,
  type Handler,
  type HandlerContext,
  type LiveNotification,
  type Notification,
  type NotificationOf,
  type StartedNotification,
  type UnknownNotification,
} from '../../src/index.js';

/** Whether two types are the same, not merely assignable. The compiler checks this file; Jest only runs it. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function assertType<_Holds extends true>(): void {}

const handle = () => {};

describe('the types of a handler', () => {
  it('give a kind its own notification', () => {
    assertType<Equal<NotificationOf<readonly ['started']>, StartedNotification>>();
    assertType<Equal<NotificationOf<readonly ['started', 'ended']>, StartedNotification | EndedNotification>>();
    assertType<Equal<NotificationOf<'*'>, Notification>>();
    assertType<Equal<NotificationOf<[string, ...string[]]>, Notification>>();
    const kinds: NotificationOf<readonly ['seized']>['what'] = 'seized';
    expect(kinds).toBe('seized');
  });

  it('follow what a handler subscribes to', () => {
    const handlers: Handler[] = [
      defineHandler({
        name: 'ended',
        on: ['ended'],
        handle(notification, context) {
          assertType<Equal<typeof notification, EndedNotification>>();
          assertType<Equal<typeof context, HandlerContext>>();
          const duration: number = notification.data.duration;
          return duration;
        },
      }),
      defineHandler({
        name: 'started',
        on: ['started'],
        handle(notification) {
          // @ts-expect-error A stream that has just started has no duration: an unknown field, so no number.
          const duration: number = notification.data.duration;
          return duration;
        },
      }),
      defineHandler({
        name: 'several',
        on: ['started', 'ended', 'live', 'seized'],
        handle(notification) {
          switch (notification.what) {
            case 'ended':
              assertType<Equal<typeof notification, EndedNotification>>();
              return notification.data.duration;
            case 'live':
              assertType<Equal<typeof notification, LiveNotification>>();
              return notification.data.uri;
            case 'seized':
              assertType<typeof notification extends UnknownNotification ? true : false>();
              return notification.data.streamId;
            case 'started':
              return notification.data.tags;
          }
        },
      }),
      defineHandler({
        name: 'every',
        on: '*',
        handle(notification) {
          assertType<Equal<typeof notification, Notification>>();
        },
      }),
    ];
    expect(handlers.map(({ name }) => name)).toEqual(['ended', 'started', 'several', 'every']);
  });

  it('refuse what is no definition', () => {
    // @ts-expect-error `on` takes an array or '*'.
    expect(() => defineHandler({ name: 'a', on: 'started', handle })).toThrow(TypeError);
    // @ts-expect-error An empty array subscribes to nothing.
    expect(() => defineHandler({ name: 'a', on: [], handle })).toThrow(TypeError);
    // @ts-expect-error There is no option of that name.
    expect(() => defineHandler({ name: 'a', on: '*', retries: 3, handle })).toThrow(TypeError);
    // @ts-expect-error `handle` is missing.
    expect(() => defineHandler({ name: 'a', on: '*' })).toThrow(TypeError);
    // @ts-expect-error Only `continue` and `park`.
    expect(() => defineHandler({ name: 'a', on: '*', onExhausted: 'stop', handle })).toThrow(TypeError);
  });
});

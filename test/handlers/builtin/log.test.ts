import { describe, expect, it } from '@jest/globals';
import { logHandler } from '../../../src/handlers/builtin/log.js';
import type { HandlerContext } from '../../../src/handlers/handler.js';
import type { Notification } from '../../../src/protocol/notification.js';
import { notification } from '../../helpers/notifications.js';

function logged(message: Notification): unknown[] {
  const lines: unknown[] = [];
  const info = (...line: unknown[]) => void lines.push(line);
  logHandler.handle(message, { log: { info } } as unknown as HandlerContext);
  return lines;
}

describe('the log handler', () => {
  it('says kind, stream and time of any notification, and nothing of what is in it', () => {
    const data = { tags: ['private-tag'], reason: 'private reason', uri: 'https://cdn.example.com/private' };
    const message = notification({ what: 'seized', stream: 's-1', at: 1_700_000_000_000, data });
    expect(logHandler).toMatchObject({ name: 'log', on: '*' });
    expect(logged(message)).toEqual([
      [{ kind: 'seized', stream: 's-1', timestamp: '2023-11-14T22:13:20.000Z' }, 'notification: seized'],
    ]);
  });

  it('takes a notification of an unknown kind without data', () => {
    expect(logged({ what: 'maintenance' } as Notification)).toEqual([
      [{ kind: 'maintenance', stream: undefined, timestamp: undefined }, 'notification: maintenance'],
    ]);
  });
});

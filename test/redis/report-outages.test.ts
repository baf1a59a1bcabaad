import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { reportOutages } from '../../src/redis/report-outages.js';

function start() {
  const connection = new EventEmitter();
  const lines: string[] = [];
  const clock = { now: 1_000_000 };
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log = { error: write('error'), info: write('info') };
  reportOutages(connection as never, log as never, 'producer', () => clock.now);
  return { connection, lines, clock };
}

describe('reportOutages', () => {
  it('logs the first error, then one in ten seconds with the number left out, then how long it took', () => {
    const { connection, lines, clock } = start();
    for (let second = 0; second < 25; second++) {
      connection.emit('error', new Error(`refused ${second}`));
      connection.emit('reconnecting', 500);
      clock.now += 1000;
    }
    connection.emit('ready');
    expect(lines).toEqual([
      'error Redis cannot be used; trying again {"connection":"producer","reason":"refused 0"}',
      'error Redis cannot be used; trying again {"connection":"producer","reason":"refused 10","leftOut":9}',
      'error Redis cannot be used; trying again {"connection":"producer","reason":"refused 20","leftOut":9}',
      'info Redis is back {"connection":"producer","outageMs":25000}',
    ]);
  });

  it('leaves out what only follows from a connection that is let go of', () => {
    const { connection, lines } = start();
    connection.emit('error', new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    expect(lines).toEqual([]);
  });

  it('counts from when the connection went, be there an error or not', () => {
    const { connection, lines, clock } = start();
    connection.emit('reconnecting', 50);
    clock.now += 60;
    connection.emit('ready');
    expect(lines).toEqual(['info Redis is back {"connection":"producer","outageMs":60}']);
  });

  it('says nothing of a first connection that works, and starts afresh with each outage', () => {
    const { connection, lines, clock } = start();
    connection.emit('ready');
    expect(lines).toEqual([]);
    for (const reason of ['one', 'two']) {
      connection.emit('error', new Error(reason));
      clock.now += 10;
      connection.emit('ready');
    }
    expect(lines.filter((line) => line.startsWith('error'))).toHaveLength(2);
    expect(lines.filter((line) => line.includes('"outageMs":10'))).toHaveLength(2);
  });

  it('has a reason for errors without a message, and keeps the command of an error to itself', () => {
    const { connection, lines } = start();
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    connection.emit('error', refused);
    expect(lines[0]).toContain('"reason":"ECONNREFUSED"');
    const other = start();
    other.connection.emit('error', Object.assign(new Error('WRONGPASS'), { command: { args: ['hunter2'] } }));
    expect(other.lines[0]).not.toContain('hunter2');
  });
});

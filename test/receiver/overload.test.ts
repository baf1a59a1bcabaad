import { afterEach, describe, expect, it } from '@jest/globals';
import { createOverloadGuard } from '../../src/receiver/overload-guard.js';
import { until } from '../helpers/until.js';
import { signIndependently, toWire } from '../protocol/independent-signature.js';
import { startedBody } from './notifications.js';
import { exchange, openConnection } from './raw-connection.js';
import { createMemoryIntake, createPausedIntake, startReceiver, type TestReceiver } from './test-receiver.js';

let running: TestReceiver | undefined;

async function start(options: Parameters<typeof startReceiver>[0]): Promise<TestReceiver> {
  running = await startReceiver(options);
  return running;
}

afterEach(async () => {
  await running?.receiver.close(100);
});

const request = (number: number) => toWire(signIndependently({ body: startedBody(number) }));
const capacity = { status: 503, body: '{"status":"capacity"}' };

describe('a receiver with as many notifications in flight as it may have', () => {
  it('answers the next at once, and takes others once there is room again', async () => {
    const { intake, arrived, proceed } = createPausedIntake();
    const { port, answered } = await start({ intake, maxInFlight: 1 });
    const connection = await openConnection(port);
    connection.send(request(1));
    await arrived;
    const response = await exchange(port, request(2));
    expect(response).toMatchObject(capacity);
    expect(response.headers['retry-after']).toBe('3');
    expect(answered).toEqual([expect.objectContaining({ outcome: 'overloaded', status: 503 })]);
    proceed();
    expect((await connection.next()).status).toBe(200);
    expect((await exchange(port, request(2))).status).toBe(200);
    connection.destroy();
  });

  it('has no place taken by senders that are not authentic or slow', async () => {
    const { port } = await start({ intake: createMemoryIntake(), maxInFlight: 1 });
    const slow = await openConnection(port);
    slow.send(request(1).subarray(0, -10));
    await exchange(port, toWire(signIndependently({ body: 'x', secret: 'another' })));
    expect((await exchange(port, request(2))).status).toBe(200);
    slow.send(request(1).subarray(-10));
    expect((await slow.next()).status).toBe(200);
    slow.destroy();
  });

  it('gives the place back where the intake fails', async () => {
    const intake = { ...createMemoryIntake(), accept: () => Promise.reject(new Error('Redis is away')) };
    const { port, answered } = await start({ intake, maxInFlight: 1 });
    for (const number of [1, 2, 3]) await exchange(port, request(number));
    expect(answered.map(({ outcome }) => outcome)).toEqual(['unavailable', 'unavailable', 'unavailable']);
  });
});

describe('a receiver with as many bytes at hand as it may have', () => {
  it('answers 503 to the body that is too much, and takes others once the bytes are gone', async () => {
    const { port, answered } = await start({ intake: createMemoryIntake(), maxBufferedBytes: 50_000 });
    const slow = await openConnection(port);
    const wire = toWire(signIndependently({ body: 'x'.repeat(40_001) }));
    slow.send(wire.subarray(0, -1));
    const large = toWire(signIndependently({ body: 'y'.repeat(20_000) }));
    await until('the slow one holds its bytes', async () => (await exchange(port, large)).status === 503);
    expect((await exchange(port, request(1))).status).toBe(200);
    expect(answered.at(-2)).toMatchObject({ outcome: 'overloaded' });
    slow.send(wire.subarray(-1));
    expect((await slow.next()).status).toBe(400);
    expect((await exchange(port, large)).status).toBe(400);
    slow.destroy();
  });

  it('gives back the bytes of senders that leave, and of bodies that are refused', async () => {
    const options = { intake: createMemoryIntake(), maxBufferedBytes: 50_000, bodyLimitBytes: 45_000 };
    const { port, answered } = await start(options);
    for (let round = 0; round < 5; round += 1) {
      const leaving = await openConnection(port);
      leaving.send(toWire(signIndependently({ body: 'x'.repeat(40_000) })).subarray(0, -1));
      leaving.end();
      await leaving.closed;
      const unsigned = toWire({ ...signIndependently({ body: 'y'.repeat(40_000) }), headers: {} });
      expect((await exchange(port, unsigned)).status).toBe(401);
      const endless = toWire({ ...signIndependently({ body: '' }), headers: {} }, ['Transfer-Encoding: chunked']);
      const chunk = `afc9\r\n${'z'.repeat(45_001)}\r\n`;
      expect((await exchange(port, Buffer.concat([endless, Buffer.from(chunk)]))).status).toBe(413);
    }
    expect((await exchange(port, request(1))).status).toBe(200);
    expect(answered.some(({ outcome }) => outcome === 'overloaded')).toBe(false);
  });
});

describe('createOverloadGuard', () => {
  it('counts what is refused as little as what was given back', () => {
    const guard = createOverloadGuard({ maxInFlight: 2, maxBufferedBytes: 10 });
    expect([guard.enter(), guard.enter(), guard.enter()]).toEqual([true, true, false]);
    expect(guard.isFull()).toBe(true);
    guard.leave();
    expect(guard.isFull()).toBe(false);
    expect([guard.hold(6), guard.hold(5), guard.hold(4)]).toEqual([true, false, true]);
    expect(guard.isFull()).toBe(true);
    guard.release(10);
    expect([guard.isFull(), guard.hold(10)]).toEqual([false, true]);
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createReceiver, type Receiver } from '../../src/receiver/create-receiver.js';
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

const request = (number = 1) => toWire(signIndependently({ body: startedBody(number) }));
const stopping = { status: 503, body: '{"status":"capacity"}' };
/** Long enough that a test which waits for it fails. */
const NEVER_MS = 60_000;

describe('a receiver that stops', () => {
  it('answers what is in flight as ever, and closes the connection', async () => {
    const { intake, arrived, proceed } = createPausedIntake();
    const { port, receiver } = await start({ intake });
    const connection = await openConnection(port);
    connection.send(request());
    await arrived;
    const closed = receiver.close(NEVER_MS);
    proceed();
    const response = await connection.next();
    expect(response).toMatchObject({ status: 200, body: '{"status":"ok","id":"id-1"}' });
    expect(response.headers.connection).toBe('close');
    await connection.closed;
    await closed;
  });

  it('answers every pipelined request before it closes their connection', async () => {
    const { intake, arrived, proceed } = createPausedIntake();
    const { receiver, port } = await start({ intake });
    let begun = 0;
    receiver.server.on('request', () => {
      begun += 1;
    });
    const connection = await openConnection(port);
    connection.send(Buffer.concat([request(1), request(2), request(3)]));
    await arrived;
    await until('all three have begun', () => begun === 3);
    const closed = receiver.close(NEVER_MS);
    proceed();
    const answers = [await connection.next(), await connection.next(), await connection.next()];
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [200, 'close'],
    ]);
    await closed;
  });

  it('finishes a request whose body is still coming', async () => {
    const { receiver, port } = await start({ intake: createMemoryIntake() });
    const wire = request();
    const connection = await openConnection(port);
    const begun = new Promise<void>((resolve) => receiver.server.once('request', () => resolve()));
    connection.send(wire.subarray(0, -10));
    await begun;
    const closed = receiver.close(NEVER_MS);
    connection.send(wire.subarray(-10));
    expect((await connection.next()).status).toBe(200);
    await closed;
  });

  it('takes no new connection', async () => {
    const { intake, arrived, proceed } = createPausedIntake();
    const { receiver, port } = await start({ intake });
    const connection = await openConnection(port);
    connection.send(request());
    await arrived;
    const closed = receiver.close(NEVER_MS);
    await expect(openConnection(port)).rejects.toThrow('ECONNREFUSED');
    proceed();
    await closed;
  });

  it('turns new requests of open connections away, the health check among them', async () => {
    const { receiver, port, answered } = await start({ intake: createMemoryIntake() });
    const [first, second] = [await openConnection(port), await openConnection(port)];
    first.send(request());
    second.send(request(2));
    await Promise.all([first.next(), second.next()]);
    const closed = receiver.close(NEVER_MS);
    first.send(request(3));
    second.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    for (const response of await Promise.all([first.next(), second.next()])) {
      expect(response).toMatchObject(stopping);
      expect(response.headers).toMatchObject({ connection: 'close', 'retry-after': '3' });
    }
    await Promise.all([first.closed, second.closed, closed]);
    expect(answered.slice(2).map(({ outcome }) => outcome)).toEqual(['stopping', 'stopping']);
  });

  it('closes idle connections, used or not, long before the deadline', async () => {
    const { receiver, port } = await start({ intake: createMemoryIntake() });
    const [used, unused] = [await openConnection(port), await openConnection(port)];
    used.send(request());
    await used.next();
    await receiver.close(NEVER_MS);
    await Promise.all([used.closed, unused.closed]);
  });

  it('ends everything at the deadline', async () => {
    const { intake, arrived } = createPausedIntake();
    const { receiver, port } = await start({ intake });
    const [waiting, slow] = [await openConnection(port), await openConnection(port)];
    waiting.send(request());
    slow.send('POST /callback HTTP/1.1\r\nHost:');
    await arrived;
    await receiver.close(300);
    await Promise.all([waiting.closed, slow.closed]);
  });

  it('stops once, however often it is told', async () => {
    const { receiver } = await start({ intake: createMemoryIntake() });
    await Promise.all([receiver.close(NEVER_MS), receiver.close(NEVER_MS)]);
    await receiver.close(NEVER_MS);
  });

  it('stops where it never listened', async () => {
    await neverListening().close(NEVER_MS);
  });

  it('under load answers every request that it took, and loses none that it answered', async () => {
    const memory = createMemoryIntake();
    const slow = {
      ...memory,
      accept: async (notification: Parameters<typeof memory.accept>[0]) => {
        await new Promise((resolve) => setImmediate(resolve));
        return memory.accept(notification);
      },
    };
    const { receiver, port } = await start({ intake: slow });
    let number = 0;
    const accepted: string[] = [];
    const statuses = new Set<number>();
    const sender = async () => {
      const connection = await openConnection(port);
      for (;;) {
        number += 1;
        connection.send(request(number));
        const response = await connection.next();
        statuses.add(response.status);
        if (response.status === 200) accepted.push(JSON.parse(response.body).id);
        if (response.headers.connection === 'close') return connection.destroy();
      }
    };
    const senders = Promise.allSettled(Array.from({ length: 20 }, sender));
    await until('the load runs', () => accepted.length > 200);
    await receiver.close(NEVER_MS);
    // Each sender saw the connection close as announced, in an answer.
    expect((await senders).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
    expect(accepted.length).toBe(memory.accepted.length);
    expect(new Set(accepted).size).toBe(accepted.length);
  });
});

describe('a receiver that cannot listen', () => {
  it('says why', async () => {
    const { port } = await start({ intake: createMemoryIntake() });
    await expect(neverListening().listen(port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
    expect((await exchange(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).status).toBe(200);
  });
});

function neverListening(): Receiver {
  return createReceiver({ intake: createMemoryIntake(), log: pino({ level: 'silent' }), secrets: () => ['s'] });
}

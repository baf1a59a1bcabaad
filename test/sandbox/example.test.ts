import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createManualClock } from '../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';

describe('the example of the documentation', () => {
  let down = false;
  let port = 0;
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(down ? 503 : 200).end());
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    port = (receiver.address() as AddressInfo).port;
  });
  afterAll(() => new Promise((resolve) => receiver.close(resolve)));

  it('covers an outage of 20 minutes', async () => {
    const clock = createManualClock();
    const sandbox = await createSandbox({ clock, callback: { host: '127.0.0.1', port, path: '/callback' } });
    try {
      down = true;
      sandbox.publish({ tags: ['news'], durationMs: 60_000 });
      await clock.advance(20 * 60_000);
      down = false;
      await clock.runUntil(sandbox.settled());
      expect(sandbox.report().notifications).toMatchObject({ sent: 18, acknowledged: 18, dropped: 0 });
    } finally {
      await sandbox.close();
    }
  });
});

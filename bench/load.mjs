// A load as light as can be: ready-made requests over kept-alive sockets, one at a time on each; counts the answers.
import { createHash, createHmac } from 'node:crypto';
import { connect } from 'node:net';

/** A signed notification as bytes on the wire. `at`: its timestamp, milliseconds since the epoch. */
export function signedRequest(secret, { stream, what = 'started', at = Date.now() }) {
  const data =
    what === 'started' ? { tags: ['bench', 'load'] } : { uri: `https://cdn.example.com/${at}.m3u8`, isPrimary: true };
  const body = JSON.stringify({
    apiVersion: 0,
    entity: 'stream',
    what,
    data: { streamId: stream, ...data },
    sessionId: 'session-1',
    timestamp: new Date(at).toISOString(),
  });
  const digest = createHash('sha256').update(body).digest('base64');
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret)
    .update(`POST/callback${digest}application/json${timestamp}`)
    .digest('base64');
  const head = [
    'POST /callback HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: HMAC-SHA256 ${signature}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Svc-Content-Sha256: ${digest}`,
    `X-Svc-Timestamp: ${timestamp}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Sends every request once; resolves with the count of each status and the sorted latencies in ms. */
export async function sendAll(port, requests, connections) {
  const statuses = {};
  const latencies = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.setNoDelay(true);
      return new Promise((resolve, reject) => {
        let sentAt = 0;
        const sendNext = () => {
          const request = requests[next++];
          if (!request) {
            socket.end();
            resolve();
            return;
          }
          sentAt = performance.now();
          socket.write(request);
        };
        socket.on('connect', sendNext);
        socket.on('error', reject);
        // An answer of this size comes in one piece.
        socket.on('data', (chunk) => {
          const status = chunk.toString('latin1', 9, 12);
          statuses[status] = (statuses[status] ?? 0) + 1;
          latencies.push(performance.now() - sentAt);
          sendNext();
        });
      });
    }),
  );
  return { statuses, latencies: latencies.sort((a, b) => a - b) };
}

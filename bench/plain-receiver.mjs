// What one would write in an afternoon: Express, its JSON parser's raw body, one HMAC, one `queue.add`. No order, no
// identity, no index; the answer waits for the add.
import { createHash, createHmac } from 'node:crypto';
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';

const secret = process.env.APPLICATION_SECRET;
const queue = new Queue('plain', {
  connection: new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null }),
  prefix: process.env.QUEUE_PREFIX,
});
const app = express();
app.post('/callback', express.raw({ type: '*/*' }), async (request, response) => {
  const digest = createHash('sha256').update(request.body).digest('base64');
  const signed = `POST${request.originalUrl}${digest}${request.headers['content-type']}${request.headers['x-svc-timestamp']}`;
  const expected = createHmac('sha256', secret).update(signed).digest('base64');
  if (request.headers.authorization !== `HMAC-SHA256 ${expected}`) return response.sendStatus(401);
  const job = await queue.add('notification', JSON.parse(request.body));
  response.json({ status: 'ok', id: job.id });
});
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port })),
);

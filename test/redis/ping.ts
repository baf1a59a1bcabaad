// Run by a test, as a process of its own: pings the Redis of a URL, prints the answer or the error.
import { createProducerConnection, redisOptions } from '../../src/redis/connect.js';

const errors: string[] = [];
const log = { error: (fields: { reason: string }) => errors.push(fields.reason), info: () => {} };
const redis = createProducerConnection(redisOptions(process.argv[2] ?? ''), log as never);
try {
  await redis.connect();
  console.log(await redis.ping());
} catch (error) {
  console.log(errors[0] ?? error);
}
// ioredis keeps a process two seconds longer when it disconnects from what is not there.
process.exit();

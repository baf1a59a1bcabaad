import { Redis } from 'ioredis';
import { parseRedisUrl, type RedisAddress } from './redis-url.js';
import { type OutageLog, reportOutages } from './report-outages.js';

const PRODUCER_CONNECT_TIMEOUT_MS = 2000;
const WORKER_CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** No answer for this long: the connection is taken for dead, though nobody has closed it. */
const PRODUCER_SILENCE_MS = 5000;
/** BullMQ's workers wait in a command for ten seconds at a time. */
const WORKER_SILENCE_MS = 30_000;

/** Where Redis is: a URL (see {@link parseRedisUrl}), or the socket of the private one. */
export type RedisSource = string | { socketPath: string };

/** The options of ioredis that say where Redis is and who asks. Throws where the URL cannot be used. */
export function redisOptions(source: RedisSource): RedisAddress {
  if (typeof source !== 'string') return { path: source.socketPath, db: 0 };
  const result = parseRedisUrl(source);
  if ('problem' in result) throw new TypeError(`Redis URL: expected ${result.problem}`);
  return result.address;
}

/**
 * A connection for those who must answer soon: a command fails at once while Redis is away, or when the connection goes
 * down under it (then it is unknown whether it was carried out). How long to wait for a Redis that is silent is the
 * caller's. `name`: what the log calls it. Not connected yet: `connect()` rejects if the first try fails, and goes on trying all the same.
 */
export function createProducerConnection(address: RedisAddress, log: OutageLog, name = 'producer'): Redis {
  const failover = leaveReplicas();
  const redis = new Redis({
    ...address,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: PRODUCER_CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    socketTimeout: PRODUCER_SILENCE_MS,
    retryStrategy: (tries) => Math.min(tries * 50, 500),
    reconnectOnError: failover.shouldReconnect,
  });
  redis.on('ready', failover.arrived);
  reportOutages(redis, log, name);
  return redis;
}

/** A connection for workers: commands wait while Redis is away, however long, and are sent when it is back. */
export function createWorkerConnection(address: RedisAddress, log: OutageLog): Redis {
  const failover = leaveReplicas();
  const redis = new Redis({
    ...address,
    maxRetriesPerRequest: null,
    connectTimeout: WORKER_CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    socketTimeout: WORKER_SILENCE_MS,
    retryStrategy: (tries) => Math.min(tries * 100, 1000),
    reconnectOnError: failover.shouldReconnect,
  });
  redis.on('ready', failover.arrived);
  reportOutages(redis, log, 'worker');
  return redis;
}

/**
 * After a failover the old address may lead to what is now a replica; connecting again finds the new master. Once for each
 * connection: whatever else is refused on it meanwhile only says the same.
 */
function leaveReplicas() {
  let isLeaving = false;
  return {
    shouldReconnect(error: Error): boolean {
      // Older servers put it behind their own words where a script was refused.
      if (isLeaving || !error.message.includes('READONLY')) return false;
      isLeaving = true;
      return true;
    },
    arrived() {
      isLeaving = false;
    },
  };
}

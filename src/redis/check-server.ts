import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { parseInfo } from './parse-info.js';
import { isSupported, OLDEST_VERSION } from './server-version.js';

/** Each a line for a log. `warnings` may cost notifications, `notes` are good to know. `version` names the product. */
export type ServerCheck =
  | { ok: true; version: string; warnings: string[]; notes: string[] }
  | { ok: false; problem: string };

const LOADING_PAUSE_MS = 100;

/**
 * Whether a Redis can be trusted with notifications, by what INFO says (and CONFIG GET, where it is allowed). Waits
 * while Redis loads its data, for `loadingTimeoutMs` at most (default 60,000). Rejects with the error of the connection
 * when Redis is away: that says nothing of the server.
 */
export async function checkServer(
  redis: Pick<Redis, 'info' | 'config'>,
  { loadingTimeoutMs = 60_000 }: { loadingTimeoutMs?: number } = {},
): Promise<ServerCheck> {
  const info = await readInfo(redis, loadingTimeoutMs);
  if (typeof info === 'string') return { ok: false, problem: info };
  const problem = findProblem(info);
  if (problem !== undefined) return { ok: false, problem };
  const policy = info.get('maxmemory_policy') ?? (await readSetting(redis, 'maxmemory-policy'));
  if (policy !== undefined && policy !== 'noeviction') return { ok: false, problem: evictionProblem(policy) };
  const { warnings, notes } = await describeDurability(redis, info);
  if (policy === undefined) {
    warnings.push('Redis does not say whether it evicts: make sure that maxmemory-policy is noeviction.');
  }
  return { ok: true, version: productOf(info), warnings, notes };
}

/** The fields, or a problem in words. */
async function readInfo(redis: Pick<Redis, 'info'>, loadingTimeoutMs: number): Promise<Map<string, string> | string> {
  for (const deadline = performance.now() + loadingTimeoutMs; ; await sleep(LOADING_PAUSE_MS)) {
    let loading: boolean;
    try {
      const info = parseInfo(await redis.info());
      if (info.get('loading') !== '1') return info;
      loading = true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message.startsWith('NOPERM')) {
        return "Redis does not let this user run INFO, so its settings cannot be checked: give it '+info' (ACL SETUSER).";
      }
      loading = message.startsWith('LOADING');
      if (!loading) throw error;
    }
    if (loading && performance.now() > deadline) {
      throw new Error(`Redis is still loading its data after ${loadingTimeoutMs} ms: wait, and start again`);
    }
  }
}

function findProblem(info: Map<string, string>): string | undefined {
  const version = info.get('redis_version');
  if (version === undefined || !isSupported(version)) {
    return `${productOf(info)} is too old: expected Redis ${OLDEST_VERSION} or newer, or Valkey. Upgrade the server.`;
  }
  const role = info.get('role');
  if (role === 'slave' || role === 'replica') {
    const master = info.has('master_host') ? ` (${info.get('master_host')}:${info.get('master_port')})` : '';
    return `This Redis is a read-only replica: expected its master. Point REDIS_URL to it${master}.`;
  }
  if (info.get('cluster_enabled') === '1') {
    return 'This Redis is a node of a cluster, which is not supported yet: point REDIS_URL to a single server.';
  }
  return undefined;
}

function evictionProblem(policy: string): string {
  return (
    `Redis evicts keys when its memory is full: expected maxmemory-policy noeviction, received ${policy}. ` +
    "Set it in redis.conf (or your provider's settings), or run: redis-cli CONFIG SET maxmemory-policy noeviction"
  );
}

async function describeDurability(redis: Pick<Redis, 'config'>, info: Map<string, string>) {
  const warnings: string[] = [];
  const notes: string[] = [];
  if (info.get('aof_enabled') === '0') {
    warnings.push(
      'Redis runs without an append-only file: a crash of Redis loses acknowledged notifications. Set appendonly yes.',
    );
  } else {
    if (info.get('aof_last_write_status') === 'err') {
      warnings.push(
        'Redis could not write its append-only file: it refuses writes until it can. See its log, and its disk.',
      );
    }
    const appendfsync = await readSetting(redis, 'appendfsync');
    if (appendfsync !== undefined && appendfsync !== 'always') {
      notes.push(
        `Redis has appendfsync ${appendfsync}: a power loss may cost the last second or more. Set appendfsync always to keep all.`,
      );
    }
  }
  return { warnings, notes };
}

/** Providers of Redis often forbid CONFIG. */
async function readSetting(redis: Pick<Redis, 'config'>, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await redis.config('GET', name)) as string[];
    return value;
  } catch (error) {
    if (error instanceof Error && /^(NOPERM|ERR)\b/.test(error.message)) return undefined;
    throw error;
  }
}

function productOf(info: Map<string, string>): string {
  const redis = info.get('redis_version') ?? 'of unknown version';
  const valkey = info.get('valkey_version');
  return valkey === undefined ? `Redis ${redis}` : `Valkey ${valkey} (compatible with Redis ${redis})`;
}

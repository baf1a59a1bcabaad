import { isIP } from 'node:net';

/** Where a Redis is, and who asks: the fields that ioredis takes. */
export type RedisAddress = RedisLogin & (TcpAddress | { path: string });

interface RedisLogin {
  username?: string;
  password?: string;
  db?: number;
}

interface TcpAddress {
  host: string;
  port: number;
  family?: number;
  tls?: { servername?: string };
}

/** A problem completes "expected …": it never repeats the URL, which may hold a password. */
export type RedisUrlResult = { address: RedisAddress } | { problem: string };

const ONE_SERVER =
  'the URL of one server: redis://[user:password@]host[:port][/db], rediss://… for TLS, or unix:///path';
const SOCKET = /^(?:redis\+)?unix:\/\/(?:([^@/]*)@)?(\/[^?#]+)(?:\?([^#]*))?$/i;
const SENTINEL = /^rediss?[+-](?:socket[+-])?sentinel:/i;
const CLUSTER = /^rediss?[+-](?:socket[+-])?cluster:/i;

/**
 * Reads a Redis URL: `redis://`, `rediss://` (TLS, trusting what Node trusts: `NODE_EXTRA_CA_CERTS` adds to it), or the
 * path of a Unix socket as `unix:///path` or `redis+unix:///path`. User and password are percent-decoded. The database
 * is the path of the URL, or `?db=`; `?family=4` or `6` chooses the IP version.
 */
export function parseRedisUrl(url: string): RedisUrlResult {
  if (SENTINEL.test(url)) return { problem: `${ONE_SERVER} (Redis Sentinel is not supported yet)` };
  if (CLUSTER.test(url) || /^rediss?:\/\/[^/?]*,/i.test(url) || /,\s*rediss?:\/\//i.test(url)) {
    return { problem: `${ONE_SERVER} (Redis Cluster is not supported yet)` };
  }
  try {
    const socket = SOCKET.exec(url);
    return { address: socket ? socketAddress(socket) : tcpAddress(new URL(url)) };
  } catch (error) {
    return { problem: error instanceof Unreadable ? error.message : ONE_SERVER };
  }
}

/** Its message completes "expected …". */
class Unreadable extends Error {}

function socketAddress([, login = '', path = '', query = '']: RegExpExecArray): RedisAddress {
  const [username = '', password = ''] = splitOnce(login, ':');
  return { path: decode(path), ...readLogin(username, password), db: readDb(readQuery(query).get('db')) };
}

function tcpAddress(url: URL): RedisAddress {
  const tls = url.protocol === 'rediss:';
  if (!tls && url.protocol !== 'redis:') throw new Unreadable(ONE_SERVER);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '' || url.hash !== '') throw new Unreadable(ONE_SERVER);
  const query = readQuery(url.search);
  const family = query.get('family');
  if (family !== null && !/^[046]$/.test(family)) throw new Unreadable('?family= to be 4, 6, or 0 for both');
  return {
    host,
    port: url.port === '' ? 6379 : Number(url.port),
    ...readLogin(url.username, url.password),
    db: readDb(url.pathname.slice(1) || query.get('db')),
    ...(family === null ? {} : { family: Number(family) }),
    // A certificate is checked against the name in the URL; an IP address is no name to ask for.
    ...(tls ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}),
  };
}

function readLogin(username: string, password: string): Omit<RedisLogin, 'db'> {
  return {
    ...(username === '' ? {} : { username: decode(username) }),
    ...(password === '' ? {} : { password: decode(password) }),
  };
}

function readDb(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^\d{1,5}$/.test(text)) throw new Unreadable("the URL's path to be a database's number, or nothing");
  return Number(text);
}

function readQuery(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (name !== 'db' && name !== 'family') throw new Unreadable('no parameters but ?db= and ?family=');
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Unreadable('user and password with every special character percent-encoded (% is %25)');
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

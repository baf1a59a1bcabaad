import type { PrivateServerPlace } from './private-server-place.js';

/** The redis.conf of the private Redis: on a socket that its user alone can open, and every write on disk before its answer. */
export function privateServerConfig(place: PrivateServerPlace, version: string): string {
  const lines = [
    '# Written by Sluice at each start: changes are lost.',
    'port 0',
    `unixsocket ${quote(place.socketPath)}`,
    'unixsocketperm 700',
    `dir ${quote(place.dir)}`,
    'daemonize no',
    'loglevel warning',
    'logfile ""',
    'appendonly yes',
    'appendfsync always',
    'save ""',
    'maxmemory-policy noeviction',
  ];
  // Before 7.0 the append-only file is one file in `dir`, which newer servers move by themselves.
  if (!version.startsWith('6.')) lines.push('appenddirname appendonlydir');
  return `${lines.join('\n')}\n`;
}

/** As redis.conf has strings: in quotes, with control characters as \xHH. */
function quote(text: string): string {
  const escaped = text
    .replaceAll(/["\\]/g, '\\$&')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a path may hold them
    .replaceAll(/[\x00-\x1f\x7f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escaped}"`;
}

/** Redis 6.2 is the oldest whose commands BullMQ counts on. */
const OLDEST = [6, 2] as const;

export const OLDEST_VERSION = OLDEST.join('.');

/** Whether a version, such as `7.0.15`, is new enough. Of Valkey, the version of Redis that it says it is compatible with. */
export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The version in what `redis-server --version` or `valkey-server --version` prints. */
export function readVersionLine(line: string): string | undefined {
  return /\bv=(\d+\.\d+\.\d+)/.exec(line)?.[1];
}

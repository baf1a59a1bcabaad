/** Neither redis-server nor valkey-server is on the PATH, or what is there is too old. */
export class PrivateServerMissingError extends Error {
  override readonly name = 'PrivateServerMissingError';

  constructor(found: string) {
    super(
      `${found}: install one (Debian, Ubuntu: apt-get install redis-server; Alpine: apk add redis; ` +
        'Fedora: dnf install valkey; macOS: brew install redis), or set REDIS_URL to a Redis that runs elsewhere',
    );
  }
}

// Whether the Sluice of this container lives: its public listener, or for a worker, which has none, its admin listener.
// Exit code 0 or 1, and one line that says what was asked.
const { ROLE, PORT, HOST, ADMIN_PORT, ADMIN_HOST } = process.env;
const [host, port] =
  ROLE === 'worker' ? [ADMIN_HOST || '127.0.0.1', ADMIN_PORT || 3001] : [HOST || '0.0.0.0', PORT || 3000];
const anywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' };
const reachable = anywhere[host] ?? host;
const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/healthz`;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(3000) });
  console.log(`${url}: ${response.status}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`${url}: ${error.cause?.code ?? error.message}`);
  process.exitCode = 1;
}

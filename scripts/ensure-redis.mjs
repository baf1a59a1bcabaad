// Makes sure that this machine has a redis-server or valkey-server, for `npm run demo` and `npm test`. Where it has none,
// one is installed with the system's package manager, and that is said first. With REDIS_URL set nothing is needed, unless
// --local is given: the tests start servers of their own.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const OLDEST = [6, 2];

/** Each package is tried until one can be installed; `refresh` runs once before a second round. */
const MANAGERS = [
  {
    name: 'apt-get',
    install: ['install', '-y', '--no-install-recommends'],
    packages: ['redis-server', 'valkey-server'],
    refresh: ['update'],
  },
  { name: 'apk', install: ['add', '--no-cache'], packages: ['redis', 'valkey'] },
  { name: 'dnf', install: ['install', '-y'], packages: ['valkey', 'redis'] },
  { name: 'brew', install: ['install'], packages: ['redis', 'valkey'], ownUser: true },
];
const BY_HAND =
  'install Redis 6.2 or newer, or Valkey (Debian, Ubuntu: apt-get install redis-server; Alpine: apk add redis; ' +
  'Fedora: dnf install valkey; macOS: brew install redis), or set REDIS_URL to one that runs';

function main() {
  if (process.env.REDIS_URL && !process.argv.includes('--local')) return;
  const found = findServer();
  if (found) return checkVersion(found);
  const manager = MANAGERS.find(({ name }) => find(name));
  if (!manager) return fail(`no redis-server or valkey-server is here, nor apt-get, apk, dnf or brew: ${BY_HAND}`);
  const prefix = manager.ownUser || process.getuid?.() === 0 ? [] : sudo();
  if (!prefix) return fail(`no redis-server or valkey-server is here, and this user may not install one: ${BY_HAND}`);
  console.log(`No redis-server or valkey-server is here: installing one with ${[...prefix, manager.name].join(' ')}.`);
  installWith(manager, prefix);
  const installed = findServer();
  if (!installed)
    return fail(`${manager.name} did not install a redis-server or valkey-server (see above): ${BY_HAND}`);
  console.log(`Installed ${installed}.`);
  checkVersion(installed);
}

function installWith({ name, install, packages, refresh }, prefix) {
  const run = (args) => {
    const [command, ...rest] = [...prefix, name, ...args];
    // RUNLEVEL=1: Debian's packages start no service of their own; Sluice starts what it needs.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    return spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
  };
  const any = () => packages.some((item) => run([...install, item]) && findServer());
  if (!any() && refresh && run(refresh)) any();
}

function checkVersion(program) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const version = /\bv=(\d+)\.(\d+)\S*/.exec(stdout ?? '');
  const [, major, minor] = (version ?? []).map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  fail(
    `${program} is of version ${version?.[0].slice(2) ?? 'unknown'}, expected ${OLDEST.join('.')} or newer: ${BY_HAND}`,
  );
}

/** undefined where sudo is missing or would ask for a password. */
function sudo() {
  return find('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0
    ? ['sudo', '-n']
    : undefined;
}

function findServer() {
  return find('redis-server') ?? find('valkey-server');
}

function find(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

main();

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ms from 'ms';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.js';
import { redisOptions } from '../../src/redis/connect.js';

interface Service {
  image: string;
  build?: string;
  user?: string;
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  networks?: string[];
  [field: string]: unknown;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<'redis' | 'receiver' | 'worker', Service>;
  secrets: Record<string, { file: string }>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(file.services);
const { redis, receiver, worker } = file.services;

let secrets: string;
beforeAll(() => {
  secrets = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
});
afterAll(() => rmSync(secrets, { recursive: true, force: true }));

function makeSecrets(env: Record<string, string>) {
  return spawnSync('sh', [join(root, 'docker/make-secrets.sh'), secrets], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', ...env },
  });
}

/** What a service reads, with the secrets where make-secrets put them. */
function configOf(service: Service) {
  const env = Object.entries(service.environment ?? {}).map(([name, value]) => [
    name,
    value.replace('/run/secrets', secrets),
  ]);
  return readConfig(Object.fromEntries(env));
}

describe('make-secrets', () => {
  it("asks for the application's secret", () => {
    const { status, stderr } = makeSecrets({});
    expect(status).toBe(1);
    expect(stderr).toMatch(/^make-secrets: expected the application's secret in APPLICATION_SECRET, received nothing/);
  });

  it('writes every secret that the compose file mounts, and no other', () => {
    expect(makeSecrets({ APPLICATION_SECRET: 'the $ecret' })).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(readdirSync(secrets).sort()).toEqual(Object.keys(file.secrets).sort());
    for (const [name, secret] of Object.entries(file.secrets)) expect(secret.file).toBe(`./docker/secrets/${name}`);
    expect(readFileSync(join(secrets, 'application_secret'), 'utf8')).toBe('the $ecret');
    expect(statSync(secrets).mode & 0o777).toBe(0o700);
  });

  it('is kept out of the repository and of the image, with the settings of this deployment', () => {
    const ignored = readFileSync(join(root, 'docker/.gitignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['secrets/', 'sluice.env']));
    expect(file.services.worker.env_file).toEqual([{ path: 'docker/sluice.env', required: false }]);
  });

  it('keeps what is there', () => {
    const before = readFileSync(join(secrets, 'redis_password'), 'utf8');
    expect(before).toMatch(/^[0-9a-f]{48}$/);
    expect(makeSecrets({ APPLICATION_SECRET: 'another' }).status).toBe(0);
    expect(readFileSync(join(secrets, 'redis_password'), 'utf8')).toBe(before);
    expect(readFileSync(join(secrets, 'application_secret'), 'utf8')).toBe('the $ecret');
  });
});

describe('the compose file', () => {
  it('configures each service without a problem and without a warning', () => {
    const password = readFileSync(join(secrets, 'redis_password'), 'utf8');
    for (const [service, role] of [
      [receiver, 'receiver'],
      [worker, 'worker'],
    ] as const) {
      const config = configOf(service);
      expect(config).toMatchObject({ role, warnings: [], adminHost: '0.0.0.0' });
      expect(redisOptions(config.redisUrl ?? '')).toEqual({ host: 'redis', port: 6379, password, db: 0 });
    }
    expect(configOf(receiver).secrets).toEqual(['the $ecret']);
    expect(configOf(worker).secrets).toEqual([]);
  });

  it('gives each service the secrets that it reads, and no others', () => {
    for (const service of [receiver, worker]) {
      const read = Object.entries(service.environment ?? {}).filter(([name]) => name.endsWith('_FILE'));
      expect(read.map(([, path]) => path).sort()).toEqual(
        (service.secrets ?? []).map((name) => `/run/secrets/${name}`).sort(),
      );
    }
    expect(redis.secrets).toEqual(['redis_password']);
    const used = new Set(services.flatMap(([, service]) => service.secrets ?? []));
    expect([...used].sort()).toEqual(Object.keys(file.secrets).sort());
  });

  it('publishes the port of the receiver, admin on this machine alone, and nothing of Redis', () => {
    const { port, adminPort } = configOf(receiver);
    expect(receiver.ports).toEqual([`${port}:${port}`, `127.0.0.1:${adminPort}:${adminPort}`]);
    expect(worker.ports).toBeUndefined();
    expect(redis.ports).toBeUndefined();
    expect(redis.networks).toEqual(['back']);
    expect(file.networks.back).toEqual({ internal: true });
  });

  it.each(services)('gives %s no more than it needs', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      init: true,
      user: expect.stringMatching(/^(node|redis)$/),
    });
    const volumes = (service.volumes ?? []).filter((volume) => !volume.endsWith(':ro'));
    expect(volumes).toEqual(service === redis ? ['redis-data:/data'] : []);
  });

  it('mounts files that are there', () => {
    const sources = services.flatMap(([, service]) =>
      (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''),
    );
    const files = sources.filter((source) => source.startsWith('./docker/'));
    expect(files).toHaveLength(3);
    expect(files.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(sources.filter((source) => !source.startsWith('./'))).toEqual(Object.keys(file.volumes));
  });

  it('lets workers be many, and gives everything time to end', () => {
    expect(services.filter(([, service]) => 'container_name' in service)).toEqual([]);
    for (const service of [receiver, worker]) {
      expect(ms(service.stop_grace_period as ms.StringValue)).toBeGreaterThan(configOf(service).shutdownTimeoutMs);
      expect(service.depends_on).toEqual({ redis: { condition: 'service_healthy' } });
    }
  });
});

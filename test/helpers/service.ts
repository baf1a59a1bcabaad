import { rmSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRecord, type Run } from './load-record.js';
import { startServiceGuard } from './service-guard.js';
import { type Ended, type ServiceProcess, spawnService } from './service-process.js';

const HANDLERS = fileURLToPath(new URL('../fixtures/e2e-handlers/', import.meta.url));

/** A service that listens. */
export interface RunningService extends ServiceProcess {
  /** Of the public listener; 0 for a worker. */
  readonly port: number;
  readonly adminPort: number;
}

/** What a command printed, and how it ended. */
export interface CommandResult extends Ended {
  out: string;
  err: string;
}

/** The processes of one test file, in a temporary folder that is the working directory of each. */
export interface Services {
  readonly dir: string;
  /** The runs that handlers of `fixtures/e2e-handlers` have recorded. */
  runs(handler?: string): Run[];
  /** Makes a handler of `fixtures/e2e-handlers` fail every run, or no more. */
  breakHandler(name: string): void;
  mendHandler(name: string): void;
  /** Resolves once the service says that it runs. */
  start(env?: Record<string, string>): Promise<RunningService>;
  /** Does not wait for it. */
  launch(env?: Record<string, string>, args?: readonly string[]): ServiceProcess;
  /** Runs a command to its end. */
  run(args: readonly string[], env?: Record<string, string>): Promise<CommandResult>;
  /** Copies handlers of `fixtures/e2e-handlers` into a folder of their own, for HANDLERS. */
  handlers(...names: string[]): Promise<string>;
  /** Ends all processes by kill -9 and removes the folder. Throws where a service wrote to standard error. */
  close(): Promise<void>;
}

/** The secret that all services have, unless their environment says otherwise. */
export const SECRET = 'e2e-secret';

/** `base`: the environment of every process; each may add to it. */
export async function createServices(base: Record<string, string> = {}): Promise<Services> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-e2e-'));
  const record = join(dir, 'record.jsonl');
  const recorded = createRecord(record);
  const guard = startServiceGuard(dir);
  const processes: ServiceProcess[] = [];
  const started: ServiceProcess[] = [];
  let folders = 0;

  const spawn = (args: readonly string[], env: Record<string, string>): ServiceProcess => {
    const spawned = spawnService(args, { APPLICATION_SECRET: SECRET, RECORD: record, ...base, ...env }, dir);
    guard.watch(spawned);
    processes.push(spawned);
    return spawned;
  };

  return {
    dir,
    runs: (handler) => recorded.runs(handler),
    breakHandler: (name) => writeFileSync(`${record}.${name}-is-broken`, ''),
    mendHandler: (name) => rmSync(`${record}.${name}-is-broken`),
    launch: (env = {}, args = []) => spawn(['start', ...args], env),
    async start(env = {}) {
      const service = spawn(['start'], { PORT: '0', ADMIN_PORT: '0', ...env });
      const { port = 0, adminPort } = await service.line('sluice is running');
      started.push(service);
      return Object.assign(service, { port: Number(port), adminPort: Number(adminPort) });
    },
    async run(args, env = {}) {
      const command = spawn(args, env);
      const ended = await command.ended;
      return { ...ended, out: command.out(), err: command.err() };
    },
    async handlers(...names) {
      const folder = join(dir, `handlers-${++folders}`);
      for (const name of [...names, '_recording.mjs']) await cp(join(HANDLERS, name), join(folder, name));
      return folder;
    },
    async close() {
      await Promise.all(processes.map((one) => one.end('SIGKILL')));
      await guard.stop();
      const complaints = started.map((one) => one.err()).filter((text) => text !== '');
      if (complaints.length > 0) throw new Error(`services wrote to standard error:\n${complaints.join('\n')}`);
    },
  };
}

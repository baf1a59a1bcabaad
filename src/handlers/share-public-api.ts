import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { PUBLIC_API_NAME, PUBLIC_API_URL, resolve } from './resolve-public-api.js';

/** Parts of `node:module` that its types (of the oldest supported Node) leave out. */
interface ModuleInternals {
  registerHooks?(hooks: { resolve: typeof resolve }): unknown;
  Module: { _resolveFilename(request: string, ...rest: unknown[]): string };
}

let shared = false;

/**
 * Lets every module of this process `import` or `require` the name `sluice` and get this running copy. It stays so: a
 * handler may import it while it runs. A process has one module resolution, so this state is the process's own.
 *
 * `registerHooks` covers both ways of importing; Node before 22.15 has `register` (deprecated from Node 26 on), which does
 * not see `require`.
 */
export function sharePublicApi(): void {
  if (shared) return;
  shared = true;
  const { registerHooks, Module } = nodeModule as unknown as ModuleInternals;
  if (registerHooks) {
    registerHooks({ resolve });
    return;
  }
  nodeModule.register('./resolve-public-api.js', import.meta.url);
  const path = fileURLToPath(PUBLIC_API_URL);
  const resolveFilename = Module._resolveFilename;
  Module._resolveFilename = (request, ...rest) =>
    request === PUBLIC_API_NAME ? path : resolveFilename.call(Module, request, ...rest);
}

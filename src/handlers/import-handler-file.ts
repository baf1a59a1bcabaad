import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect, types } from 'node:util';
import type { TypeScriptLoader } from './create-type-script-loader.js';
import { defineHandler, isDefinedHandler } from './define-handler.js';
import type { Handler, HandlerDefinition } from './handler.js';
import type { HandlerProblem } from './handler-load-error.js';
import { locateSyntaxError } from './locate-syntax-error.js';

const EXPECTED = 'expected `export default defineHandler({ … })`';

/** The handlers of one file, its default export, one or several; or why there are none. */
export async function importHandlerFile(
  file: string,
  typeScript: TypeScriptLoader,
): Promise<{ handlers: Handler[] } | HandlerProblem> {
  let exported: unknown;
  try {
    const load = extname(file) === '.ts' ? typeScript(file) : import(pathToFileURL(file).href);
    exported = defaultExport(await load);
  } catch (cause) {
    return { file, problem: `${EXPECTED}; it threw ${await describeCause(cause, file)}`, cause };
  }
  if (exported === undefined) return { file, problem: `${EXPECTED}; received no default export` };
  const candidates = Array.isArray(exported) ? exported : [exported];
  if (candidates.length === 0) return { file, problem: `${EXPECTED}; received an empty array` };
  try {
    return { handlers: candidates.map(asHandler) };
  } catch (cause) {
    return { file, problem: `${EXPECTED}; ${(cause as Error).message}`, cause };
  }
}

function defaultExport(module: unknown): unknown {
  if (!has(module, 'default')) {
    // A .ts file that is CommonJS: what it exports is the module itself.
    return types.isModuleNamespaceObject(module) || has(module, '__esModule') ? undefined : module;
  }
  // CommonJS that was compiled from an ES module has its default export one level deeper.
  return has(module.default, 'default') ? module.default.default : module.default;
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}

function asHandler(value: unknown): Handler {
  return isDefinedHandler(value) ? value : defineHandler(value as HandlerDefinition);
}

async function describeCause(cause: unknown, file: string): Promise<string> {
  // Errors of the thread that resolves modules are the one, those of another realm the other.
  if (!(cause instanceof Error || types.isNativeError(cause))) return inspect(cause);
  const place = cause.name === 'SyntaxError' ? await locateSyntaxError(cause, file) : undefined;
  const message = cause.message.trim().replace(/\s*\n\s*/g, '\n');
  return `${cause.name}: ${message}${place === undefined ? '' : ` (${place})`}`;
}

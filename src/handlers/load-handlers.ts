import { logHandler } from './builtin/log.js';
import { createTypeScriptLoader } from './create-type-script-loader.js';
import { type FoundFiles, findHandlerFiles } from './find-handler-files.js';
import type { Handler, HandlerLog } from './handler.js';
import { HandlerLoadError, type HandlerProblem } from './handler-load-error.js';
import { importHandlerFile } from './import-handler-file.js';
import { sharePublicApi } from './share-public-api.js';

export interface LoadHandlersOptions {
  /** Folders and files, as `HANDLERS` names them. */
  sources: readonly string[];
  /** Whether they are the default: nobody set `HANDLERS`. */
  defaultSource: boolean;
  /** Handlers that are there whatever the files hold, such as `forward`. Default none. */
  builtIn?: readonly Handler[];
  log: Pick<HandlerLog, 'debug' | 'warn'>;
}

export interface LoadedHandlers {
  handlers: Handler[];
  /** The file of each, by name; a built-in one has none. */
  files: ReadonlyMap<string, string>;
}

interface Loaded {
  handler: Handler;
  file?: string;
}

/**
 * Loads the handler modules. Where there are none, a warning says so, and the built-in `log` is what runs, unless others
 * are built in.
 *
 * @throws HandlerLoadError that lists every file which is missing, cannot be loaded or exports no handler, and every name
 * that two handlers have.
 */
export async function loadHandlers(options: LoadHandlersOptions): Promise<LoadedHandlers> {
  const { sources, builtIn = [], log } = options;
  const found = await findHandlerFiles(sources);
  const { files, problems } = found;
  const loaded: Loaded[] = builtIn.map((handler) => ({ handler }));
  if (files.length > 0) sharePublicApi();
  const typeScript = createTypeScriptLoader();
  for (const file of files) {
    log.debug({ file }, 'loading handlers');
    const result = await importHandlerFile(file, typeScript);
    if ('problem' in result) problems.push(result);
    else loaded.push(...result.handlers.map((handler) => ({ handler, file })));
  }
  problems.push(...sharedNames(loaded));
  if (problems.length > 0) throw new HandlerLoadError(problems);
  warnOfNothing(options, found);
  if (loaded.length === 0) loaded.push({ handler: logHandler });
  return {
    handlers: loaded.map(({ handler }) => handler),
    files: new Map(loaded.flatMap(({ handler, file }) => (file ? [[handler.name, file]] : []))),
  };
}

function sharedNames(loaded: readonly Loaded[]): HandlerProblem[] {
  const firstFiles = new Map<string, string>();
  const problems: HandlerProblem[] = [];
  for (const { handler, file = 'Sluice itself' } of loaded) {
    const other = firstFiles.get(handler.name);
    if (other === undefined) firstFiles.set(handler.name, file);
    else problems.push({ file, problem: `expected another name than '${handler.name}': a handler of ${other} has it` });
  }
  return problems;
}

function warnOfNothing({ sources, defaultSource, builtIn = [], log }: LoadHandlersOptions, found: FoundFiles): void {
  if (found.missing.length === 0 && found.files.length > 0) return;
  if (defaultSource && builtIn.length > 0) return;
  const what =
    found.missing.length > 0
      ? `there is no folder ${found.missing.join(', ')}`
      : `there are no handler modules (.js, .mjs, .ts) in ${sources.join(', ')}`;
  const alone = found.files.length + builtIn.length === 0;
  log.warn(`HANDLERS: ${what}${alone ? "; the built-in handler 'log' runs alone" : ''}`);
}

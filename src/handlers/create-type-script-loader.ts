import type { Jiti } from 'jiti';
import { PUBLIC_API_NAME, PUBLIC_API_URL } from './resolve-public-api.js';

/** Imports a `.ts` module by its absolute path. */
export type TypeScriptLoader = (file: string) => Promise<unknown>;

/**
 * Loads `.ts` on every Node, without checking types. All files share one loader, so a module that two of them import is
 * loaded once; it gets the public API of this running copy for `sluice`. jiti itself is loaded with the first file.
 */
export function createTypeScriptLoader(): TypeScriptLoader {
  let jiti: Promise<Jiti> | undefined;
  return async (file) => {
    jiti ??= startJiti();
    return (await jiti).import(file);
  };
}

async function startJiti(): Promise<Jiti> {
  const { createJiti } = await import('jiti');
  return createJiti(import.meta.url, {
    // Files are mounted read-only, and loaded once.
    fsCache: false,
    virtualModules: { [PUBLIC_API_NAME]: await import(PUBLIC_API_URL) },
  });
}

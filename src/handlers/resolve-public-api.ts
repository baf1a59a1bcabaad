import type { ResolveFnOutput, ResolveHookContext } from 'node:module';

/** The public API of this running copy: what `import … from 'sluice'` gives in a handler, wherever the file lies. */
export const PUBLIC_API_URL = new URL('../index.js', import.meta.url).href;

/** The name that handlers import. */
export const PUBLIC_API_NAME = 'sluice';

/** A resolve hook, for `module.registerHooks` and `module.register` alike: one calls it in this thread, one in another. */
export function resolve<Resolved extends ResolveFnOutput | Promise<ResolveFnOutput>>(
  specifier: string,
  context: ResolveHookContext,
  nextResolve: (specifier: string, context: ResolveHookContext) => Resolved,
): Resolved | ResolveFnOutput {
  if (specifier !== PUBLIC_API_NAME) return nextResolve(specifier, context);
  return { url: PUBLIC_API_URL, format: 'module', shortCircuit: true };
}

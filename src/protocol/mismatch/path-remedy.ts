import { printableShort } from './printable.js';

/** Where a request's path was when it reached the service, and what was put back before it since. */
export interface ReachedPath {
  path: string;
  publicBasePath: string;
}

/** What to do about a sender that signed another path than the one that was verified. */
export function pathRemedy(signed: string, { path, publicBasePath }: ReachedPath): string {
  const prefix = signed.endsWith(path) ? signed.slice(0, signed.length - path.length) : undefined;
  if (prefix === '' && publicBasePath !== '') return 'leave PUBLIC_BASE_PATH out';
  if (prefix?.startsWith('/') && !prefix.endsWith('/')) return `set PUBLIC_BASE_PATH=${printableShort(prefix)}`;
  return 'have what stands in front of Sluice pass the path on as it came';
}

import type { SignedRequest } from '../signature.js';
import type { Variation } from './find-signing.js';
import { pathRemedy, type ReachedPath } from './path-remedy.js';
import { printableShort } from './printable.js';
import { pathOf, type Signing, splitTarget } from './signing.js';

/** Prefixes that proxies often strip, tried beside those that were named. */
const COMMON_PREFIXES =
  '/api /api/v1 /v1 /app /svc /sluice /hook /hooks /webhook /webhooks /callbacks /events /live'.split(' ');
/** Headers in which proxies keep the target as it was. */
const ORIGINAL_TARGET = [
  'x-original-uri',
  'x-original-url',
  'x-forwarded-uri',
  'x-envoy-original-path',
  'x-rewrite-url',
];
/** A path may have thousands of parts; proxies strip few. */
const DEEPEST = 16;

export interface PathContext {
  headers: SignedRequest['headers'];
  /** What a proxy may have stripped. */
  basePaths: readonly string[];
  /** Where the callback is. */
  callbackPath: string | undefined;
  reached: ReachedPath;
}

/** What the path may have been. */
export function* varyPath(base: Signing, context: PathContext): Generator<Variation> {
  const { headers, basePaths, callbackPath, reached } = context;
  const { path } = base;
  const signedPath = (name: string, signed: Partial<Signing>): Variation => {
    const whole = pathOf({ ...base, ...signed });
    return {
      set: signed,
      cause: {
        name,
        finding: `the sender signed the path ${printableShort(whole)}, not ${printableShort(pathOf(base))}`,
        remedy: pathRemedy(whole, reached),
      },
    };
  };
  yield slash(base);
  for (const name of ORIGINAL_TARGET) {
    const [value = ''] = headers[name] ?? [];
    const target = value.replace(/^[a-z]+:\/\/[^/?]*/i, '');
    if (!target.startsWith('/')) continue;
    const { query, ...signed } = splitTarget(target);
    yield signedPath('base-path', signed);
    yield withQuery(name, target);
  }
  const named = [...basePaths, ...(headers['x-forwarded-prefix'] ?? []).slice(0, 2)].flatMap(leadingParts);
  for (const prefix of new Set([...named, ...COMMON_PREFIXES])) yield signedPath('base-path', { path: prefix + path });
  for (const prefix of callbackPath === undefined ? [] : ['', reached.publicBasePath, ...named]) {
    const { query, ...signed } = splitTarget(prefix + callbackPath);
    yield signedPath('callback-path', signed);
  }
  for (const prefix of leadingParts(path)) {
    const rest = path.slice(prefix.length);
    yield signedPath('path-prefix', rest === '' ? { path: '', trailing: '/' } : { path: rest });
  }
  yield signedPath('leading-slash', { path: path.replace(/^\//, '') });
}

function slash(base: Signing): Variation {
  const trailing = base.trailing === '' ? '/' : '';
  return {
    set: { trailing },
    cause: {
      name: 'trailing-slash',
      finding: `the sender signed the path ${trailing ? 'with' : 'without'} a slash at its end`,
      remedy: `register the callback with the path ${printableShort(pathOf({ ...base, trailing }) || '/')}, or have what stands in front of Sluice pass it on as it came`,
    },
  };
}

function withQuery(header: string, target: string): Variation {
  return {
    set: splitTarget(target),
    cause: {
      name: 'original-target',
      finding: `the sender signed the target ${printableShort(target)}, which the ${header} header still has`,
      remedy: 'have what stands in front of Sluice pass path and query on as they came',
    },
  };
}

/** `/a`, `/a/b` and `/a/b/c` of `/a/b/c`, the shortest first. */
function leadingParts(path: string): string[] {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .slice(0, DEEPEST);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

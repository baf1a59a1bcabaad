import type { SignedRequest } from '../signature.js';
import type { Cause } from './cause.js';
import { type Candidates, effective, findSigning } from './find-signing.js';
import type { SignatureHeaders } from './signature-headers.js';
import { pathOf, type Signing, splitTarget, withoutSeparators } from './signing.js';
import { varyLayout } from './vary-layout.js';
import { varyParts } from './vary-parts.js';
import { varyPath } from './vary-path.js';
import { varySecret } from './vary-secret.js';
import { varyTarget } from './vary-target.js';

export interface SignatureOptions {
  secrets: readonly string[];
  /** Put back before the target already. */
  publicBasePath: string;
  /** What a proxy may have stripped. */
  basePaths: readonly string[];
  callbackPath: string | undefined;
}

/** What the sender did otherwise. `causes` is undefined where nothing that was tried gives its signature. */
export interface SignatureExplanation {
  causes: Cause[] | undefined;
  tried: number;
}

/** Looks for a way to sign that gives the signature received, the digest being as the header has it. */
export function explainSignature(
  request: SignedRequest,
  headers: SignatureHeaders & { signature: Buffer },
  options: SignatureOptions,
): SignatureExplanation {
  const candidates = options.secrets.map((secret) => candidatesFor(secret, request, headers, options));
  return findSigning(candidates, headers.signature);
}

function candidatesFor(
  secret: string,
  { method, target, headers, body }: SignedRequest,
  { digest, contentType, timestamp }: SignatureHeaders,
  { secrets, publicBasePath, basePaths, callbackPath }: SignatureOptions,
): Candidates {
  const base: Signing = {
    method,
    origin: '',
    ...splitTarget(target),
    digest,
    contentType,
    timestamp,
    secret: Buffer.from(secret),
    layout: withoutSeparators,
  };
  const path = pathOf(base);
  const reached = {
    path: path.startsWith(publicBasePath) ? path.slice(publicBasePath.length) : path,
    publicBasePath,
  };
  const variations = effective(base, [
    ...varyPath(base, { headers, basePaths, callbackPath, reached }),
    ...varyTarget(base, headers),
    ...varyParts(base, body),
    ...varySecret(secret, secrets),
    ...varyLayout(),
  ]);
  return { base, variations };
}

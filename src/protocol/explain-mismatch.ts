import type { Cause } from './mismatch/cause.js';
import { explainDigest } from './mismatch/explain-digest.js';
import { explainSignature, type SignatureExplanation } from './mismatch/explain-signature.js';
import { readSignatureHeaders, type SignatureHeaders } from './mismatch/signature-headers.js';
import { type SignedRequest, verifyNotification } from './signature.js';

export interface MismatchOptions {
  /** The application's secrets; each is tried. */
  secrets: readonly string[];
  /** The maker's brand in header names; default `Svc`. */
  brand?: string;
  /** What the request's target has before it because `PUBLIC_BASE_PATH` was put back; default nothing. */
  publicBasePath?: string;
  /** Paths that a proxy may have stripped, such as `/a/b`; beside these, common ones are tried. */
  basePaths?: readonly string[];
  /** Where the callback is, without such a path; default unknown. */
  callbackPath?: string;
}

/** Why a request is not authentic, as far as it can be told. No secret and no signature is in it. */
export interface Mismatch {
  /** What fits, in the order in which the request is checked: each proven by a hash or signature, or plain to see. */
  causes: Cause[];
  /** What no cause accounts for, a sentence each. */
  remains: string[];
  /** In how many ways the signature was computed. */
  tried: number;
}

/**
 * Why a request does not verify (contract: "Notification authentication"): computes digest and signature in the ways in
 * which senders, proxies and configurations get them wrong, by themselves and two at a time, until one gives what was
 * received. Undefined for an authentic request; its timestamp's age is not looked at.
 *
 * Pure. Takes some thousand hashes, a few of them of the whole body: for a person who asks, not for each request.
 */
export function explainMismatch(request: SignedRequest, options: MismatchOptions): Mismatch | undefined {
  const { secrets, brand = 'Svc', publicBasePath = '', basePaths = [], callbackPath } = options;
  if (verifyNotification(request, { secrets, brand }).authentic) return undefined;
  const headers = readSignatureHeaders(request.headers, brand);
  const { causes } = headers;
  if ('missing' in headers) return { causes, remains: [headers.missing], tried: 0 };
  const digest = explainDigest(request, headers);
  causes.push(...digest.causes);
  if (!hasSignature(headers)) {
    const remains = 'the Authorization header holds no HMAC-SHA256 signature: 32 bytes in Base64 were expected';
    return { causes, remains: [...(digest.remains ? [digest.remains] : []), remains], tried: 0 };
  }
  const signature = explainSignature(request, headers, { secrets, publicBasePath, basePaths, callbackPath });
  causes.push(...(signature.causes ?? []));
  const remains = [digest.remains, signatureRemains(signature, digest.remains !== undefined, secrets.length)];
  return { causes, remains: remains.filter((sentence) => sentence !== undefined), tried: signature.tried };
}

function hasSignature(headers: SignatureHeaders): headers is SignatureHeaders & { signature: Buffer } {
  return headers.signature !== undefined;
}

function signatureRemains(
  { causes, tried }: SignatureExplanation,
  bodyIsAnother: boolean,
  secrets: number,
): string | undefined {
  if (causes?.length === 0 && bodyIsAnother) {
    return 'the rest is as the sender signed it, with a secret known here: only the body is another';
  }
  if (causes) return undefined;
  const known = secrets === 1 ? 'the one known here' : `the ${secrets} known here`;
  return (
    `none of the ${tried} ways to sign that were tried gives the signature received: most likely the sender's secret is ` +
    `another than ${known} (compare APPLICATION_SECRET with the platform's); or something in front of Sluice changes the path in another way`
  );
}

import { createHash } from 'node:crypto';
import type { SignedRequest } from '../signature.js';
import type { Cause } from './cause.js';
import { decodeHash } from './decode-hash.js';
import { hashedBodies } from './hashed-bodies.js';
import type { SignatureHeaders } from './signature-headers.js';

/** Why the digest is not that of the body. `remains`: in words, where no cause accounts for it. */
export interface DigestExplanation {
  causes: Cause[];
  remains?: string;
}

const HASH_WHAT_IS_SENT = 'have the sender hash the very bytes that it sends, and let nothing on the way rewrite them';

/** Compares the digest that was received with those of the body and of what a sender may have hashed in its place. */
export function explainDigest(request: SignedRequest, { digest, digestName }: SignatureHeaders): DigestExplanation {
  const { body } = request;
  const written = decodeHash(digest.trim());
  if (!written)
    return { causes: [], remains: `the value of ${digestName} is no SHA-256 hash, neither in Base64 nor in hex` };
  const causes: Cause[] = [];
  if (written.encoding !== undefined) {
    causes.push({
      name: 'digest-encoding',
      finding: `the digest is written in ${written.encoding}`,
      remedy: 'have the sender write it in Base64',
    });
  }
  if (sha256(body).equals(written.bytes)) return { causes };
  for (const { name, what, bytes } of hashedBodies(body)) {
    if (!sha256(bytes).equals(written.bytes)) continue;
    return { causes: [...causes, { name, finding: `the digest is that of ${what}`, remedy: HASH_WHAT_IS_SENT }] };
  }
  const lost = lostBody(request);
  if (lost) return { causes: [...causes, lost] };
  const remains = `the digest is that of other bytes than the ${body.length} that arrived, and of no other way to write them: the body was changed on its way`;
  return { causes, remains };
}

/** What a digest cannot prove, but an empty or a short body shows. */
function lostBody({ body, method, headers }: SignedRequest): Cause | undefined {
  if (body.length === 0) {
    return {
      name: 'body-lost',
      finding: 'the request arrived without the body that was hashed',
      remedy:
        method === 'GET'
          ? 'register the callback with the method POST: many proxies drop the body of a GET'
          : 'find out what drops the body on its way',
    };
  }
  const announced = Number(headers['content-length']?.[0] ?? Number.NaN);
  if (!(announced > body.length)) return undefined;
  return {
    name: 'body-cut',
    finding: `Content-Length announces ${announced} bytes, and ${body.length} are here`,
    remedy: 'find out what cut the body short',
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

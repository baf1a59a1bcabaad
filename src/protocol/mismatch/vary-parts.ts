import { createHash } from 'node:crypto';
import { parseUnixTimestamp } from '../timestamps.js';
import { decodeHash } from './decode-hash.js';
import type { Variation } from './find-signing.js';
import { printableShort } from './printable.js';
import type { Signing } from './signing.js';

const AS_SENT = (part: string) =>
  `have the sender sign the ${part} that it sends, and let nothing on the way change it`;

/** What the method, the digest, the content type and the timestamp may have been. */
export function* varyParts(base: Signing, body: Buffer): Generator<Variation> {
  yield* varyMethod(base);
  yield* varyContentType(base);
  yield* varyTimestamp(base, body);
  yield* varyDigest(base, body);
}

function* varyMethod({ method }: Signing): Generator<Variation> {
  for (const other of ['GET', 'POST', 'PUT']) {
    yield {
      set: { method: other },
      cause: {
        name: 'method',
        finding: `the sender signed the method ${other}, not ${printableShort(method)}`,
        remedy: `have the sender sign the method that it uses, or find out what turned ${other} into ${printableShort(method)} on the way (a redirect does)`,
      },
    };
  }
  const lower = { method: method.toLowerCase() };
  yield variation(lower, 'method', 'the sender signed the method in lower case', AS_SENT('method'));
  yield leftOut('method', { method: '' });
}

const CHARSETS = ['; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8'];
const TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'application/octet-stream'];

function* varyContentType({ contentType }: Signing): Generator<Variation> {
  yield leftOut('content type', { contentType: '' });
  const bare = (contentType.split(';')[0] ?? '').trimEnd();
  for (const type of new Set([bare, contentType.toLowerCase(), ...TYPES])) {
    for (const written of type.includes(';') ? [type] : [type, ...CHARSETS.map((charset) => type + charset)]) {
      const received = contentType === '' ? 'none' : printableShort(contentType);
      const finding = `the sender signed the content type ${printableShort(written)}; ${received} arrived`;
      yield variation({ contentType: written }, 'content-type', finding, AS_SENT('Content-Type'));
    }
  }
}

function* varyTimestamp({ timestamp }: Signing, body: Buffer): Generator<Variation> {
  const ms = parseUnixTimestamp(timestamp);
  const signed = (what: string, text: string) => {
    const finding = `the sender signed the timestamp ${what} (${printableShort(text)}), not as in the header (${printableShort(timestamp)})`;
    return variation({ timestamp: text }, 'timestamp', finding, AS_SENT('timestamp'));
  };
  if (ms !== undefined && Number.isFinite(new Date(ms).getTime())) {
    yield signed('in seconds', String(Math.floor(ms / 1000)));
    yield signed('in seconds', String(Math.round(ms / 1000)));
    yield signed('in milliseconds', String(Math.round(ms)));
    yield signed('in seconds with a fraction', String(ms / 1000));
    yield signed('in seconds with a fraction', (ms / 1000).toFixed(3));
    yield signed('in RFC 3339', new Date(ms).toISOString());
    yield signed('in RFC 3339', new Date(ms).toISOString().replace('.000Z', 'Z'));
  }
  yield leftOut('timestamp', { timestamp: '' });
  const ofMessage = messageTimestamp(body);
  if (ofMessage !== undefined) yield signed('of the message', ofMessage);
}

function* varyDigest({ digest }: Signing, body: Buffer): Generator<Variation> {
  const signed = (what: string, text: string, alone?: true): Variation => {
    const finding = `the sender signed ${what}, not the digest as in the header`;
    return { ...variation({ digest: text }, 'signed-digest', finding, AS_SENT('digest')), ...(alone ? { alone } : {}) };
  };
  const bytes = decodeHash(digest)?.bytes;
  if (bytes) {
    yield signed('the digest in hex', bytes.toString('hex'));
    yield signed('the digest in upper-case hex', bytes.toString('hex').toUpperCase());
    yield signed('the digest in Base64', bytes.toString('base64'));
    yield signed('the digest in the Base64 of URLs', bytes.toString('base64url'));
    yield signed('the digest in the Base64 of hex digits', Buffer.from(bytes.toString('hex')).toString('base64'));
    yield signed('the digest as raw bytes', bytes.toString('latin1'));
  }
  yield signed('the digest of an empty body', createHash('sha256').digest('base64'));
  yield signed('the digest of the body that arrived', createHash('sha256').update(body).digest('base64'));
  yield leftOut('digest', { digest: '' });
  yield signed('the body', body.toString('latin1'), true);
}

function leftOut(part: string, set: Partial<Signing>): Variation {
  const finding = `the sender left the ${part} out of what it signed`;
  return variation(set, `${part.replace(' ', '-')}-left-out`, finding, `have the sender sign the ${part} too`);
}

function variation(set: Partial<Signing>, name: string, finding: string, remedy: string): Variation {
  return { set, cause: { name, finding, remedy } };
}

/** As bytes: what is signed is Latin-1. */
function messageTimestamp(body: Buffer): string | undefined {
  try {
    const timestamp = (JSON.parse(body.toString('utf8')) as { timestamp?: unknown } | null)?.timestamp;
    return typeof timestamp === 'string' ? Buffer.from(timestamp).toString('latin1') : undefined;
  } catch {
    return undefined;
  }
}

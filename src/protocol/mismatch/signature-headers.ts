import { type HeaderNames, headerNames } from '../header-names.js';
import type { SignedRequest } from '../signature.js';
import type { Cause } from './cause.js';
import { decodeHash } from './decode-hash.js';
import { printableShort } from './printable.js';

type Headers = SignedRequest['headers'];

/** What the signature headers say, read leniently, and what had to be forgiven. */
export interface SignatureHeaders {
  causes: Cause[];
  /** The header that has the digest, in lower case. */
  digestName: string;
  digest: string;
  timestamp: string;
  /** Empty where there is none, as in the string to sign. */
  contentType: string;
  /** The 32 bytes of the signature; undefined where the value holds none. */
  signature: Buffer | undefined;
}

/** Reads the headers that authenticate a notification; `missing` says which of them is nowhere to be found. */
export function readSignatureHeaders(
  headers: Headers,
  brand: string,
): SignatureHeaders | { causes: Cause[]; missing: string } {
  const causes: Cause[] = [];
  const names = brandedNames(headers, brand, causes);
  const value = (name: string) => {
    const values = headers[name] ?? [];
    if (values.length > 1) causes.push(repeatedHeader(name, values.length));
    return values[0];
  };
  const digest = value(names.digest);
  const timestamp = value(names.timestamp);
  const contentType = value('content-type') ?? '';
  const authorization = value('authorization') ?? renamedAuthorization(headers, causes);
  if (authorization === undefined) return { causes, missing: noAuthorization };
  if (digest === undefined) return { causes, missing: noHeader(names.digest) };
  if (timestamp === undefined) return { causes, missing: noHeader(names.timestamp) };
  const signature = readAuthorization(authorization, causes);
  return { causes, digestName: names.digest, digest, timestamp, contentType, signature };
}

const noAuthorization =
  'there is no Authorization header: the sender does not sign, or something in front of Sluice takes the header away';

function noHeader(name: string): string {
  return `there is no ${name} header: the sender does not sign, its brand is another (HEADER_BRAND), or something in front of Sluice takes the header away`;
}

/** The names of the brand asked for or, where neither header is there, those of a brand that both are there of. */
function brandedNames(headers: Headers, brand: string, causes: Cause[]): HeaderNames {
  const names = headerNames(brand);
  if (headers[names.digest] || headers[names.timestamp]) return names;
  for (const name of Object.keys(headers)) {
    const other = /^x-(.+)-content-sha256$/.exec(name)?.[1];
    if (other === undefined || !headers[`x-${other}-timestamp`]) continue;
    const shown = printableShort(other);
    causes.push({
      name: 'brand',
      finding: `the sender's headers carry the brand ${shown} (${printableShort(name)}), not ${brand}`,
      remedy: `set HEADER_BRAND=${shown}`,
    });
    return headerNames(other);
  }
  return names;
}

function repeatedHeader(name: string, count: number): Cause {
  return {
    name: 'repeated-header',
    finding: `the ${name} header is there ${count} times (the first was looked at)`,
    remedy: 'find out which proxy adds it: exactly one is taken',
  };
}

/** Gateways that keep `Authorization` for themselves pass the sender's on under another name. */
function renamedAuthorization(headers: Headers, causes: Cause[]): string | undefined {
  for (const [name, values] of Object.entries(headers)) {
    if (values?.length !== 1 || !/^hmac-sha256 /i.test(values[0] ?? '')) continue;
    causes.push({
      name: 'authorization-renamed',
      finding: `the sender's Authorization arrived as the header ${printableShort(name)}`,
      remedy: 'have the gateway in front of Sluice pass Authorization on under its own name',
    });
    return values[0];
  }
  return undefined;
}

function readAuthorization(value: string, causes: Cause[]): Buffer | undefined {
  const { scheme, text } = splitAuthorization(value);
  const written = decodeHash(text);
  if (value !== `HMAC-SHA256 ${text}`) causes.push(wrongScheme(scheme));
  if (written?.encoding !== undefined) {
    causes.push({
      name: 'signature-encoding',
      finding: `the signature is written in ${written.encoding}`,
      remedy: 'have the sender write it in Base64',
    });
  }
  return written?.bytes;
}

/** The scheme, if any, and what follows it. A signature may itself end in "=", which is no separator then. */
function splitAuthorization(value: string): { scheme: string; text: string } {
  const text = value.trim();
  const own = /^(hmac-?sha-?256)[\s=:]*(.*)$/is.exec(text);
  const other = decodeHash(text) ? undefined : /^([a-z][\w-]*)[\s=:]+(.*)$/is.exec(text);
  const [, scheme = '', rest = text] = own ?? other ?? [];
  return { scheme, text: rest };
}

function wrongScheme(scheme: string): Cause {
  const remedy = 'have the sender write "HMAC-SHA256", one space, and the signature';
  if (/^hmac/i.test(scheme)) {
    return { name: 'scheme', finding: 'the scheme HMAC-SHA256 is not written as it should be', remedy };
  }
  const what = scheme ? `the scheme ${printableShort(scheme)}, not HMAC-SHA256` : 'no scheme before the signature';
  return { name: 'scheme', finding: `the Authorization header has ${what}`, remedy };
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { headerNames } from './header-names.js';
import { parseUnixTimestamp } from './timestamps.js';

/** The scheme of the `Authorization` header (contract: "Notification authentication"). */
const SCHEME = 'HMAC-SHA256 ';
const SIGNATURE_BYTES = 32;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
/** How far in the future a signed timestamp may be, seconds. */
const FUTURE_TOLERANCE_S = 300;

/** A request as it came: target and body byte for byte, each header with all its values. */
export interface SignedRequest {
  method: string;
  /** Path and query exactly as sent. */
  target: string;
  /** All values by lower-case name, as `IncomingMessage.headersDistinct` has them. */
  headers: Record<string, string[] | undefined>;
  body: Buffer;
}

export interface VerifyOptions {
  /** The application's secrets, newest first; one that fits is enough. */
  secrets: readonly string[];
  /** The maker's brand in header names; default `Svc`. */
  brand?: string;
  /** How old the signed timestamp may be, seconds; 300 s into the future. 0: not checked. Default 0. */
  toleranceS?: number;
  /** Milliseconds since the epoch; default now. */
  now?: number;
}

/** The checks, in the order in which they are made. */
export const CHECKS = ['missing-header', 'repeated-header', 'scheme', 'digest', 'signature', 'timestamp'] as const;
export type Check = (typeof CHECKS)[number];

declare const verified: unique symbol;
/** A body whose signature was verified. Only {@link verifyNotification} makes one. */
export type VerifiedBody = Buffer & { readonly [verified]: true };

/** What verification found: the first check that fails, and in words what was wrong (no secret, no signature in it). */
export type Verification =
  | { authentic: true; body: VerifiedBody; secretIndex: number; signedAt: number | undefined }
  | { authentic: false; failed: Check; detail: string };

/** Base64 of the SHA-256 hash of a body: the value of `X-<brand>-Content-Sha256` (rule 1). */
export function contentDigest(body: Buffer | string): string {
  return createHash('sha256').update(body).digest('base64');
}

/** What is signed: method, target, digest, content type and timestamp, with nothing between them (rule 2). */
export function stringToSign(parts: {
  method: string;
  target: string;
  digest: string;
  contentType: string;
  timestamp: string;
}): string {
  return parts.method + parts.target + parts.digest + parts.contentType + parts.timestamp;
}

/** Node hands over request lines and header values as Latin-1, one character for a byte; the HMAC is over those bytes. */
export function hmac(secret: string, message: string): Buffer {
  return createHmac('sha256', secret).update(message, 'latin1').digest();
}

export interface NotificationToSign {
  secret: string;
  method: string;
  target: string;
  body: Buffer | string;
  /** Default `application/json`. */
  contentType?: string;
  /** Value of the timestamp header; default now, in seconds. */
  timestamp?: string;
  /** Default `Svc`. */
  brand?: string;
}

/** The headers that authenticate a notification, as the platform sends them (contract: "Notification authentication"). */
export function signNotification(notification: NotificationToSign): Record<string, string> {
  const { secret, method, target, body, brand = 'Svc', contentType = 'application/json' } = notification;
  const timestamp = notification.timestamp ?? String(Math.floor(Date.now() / 1000));
  const digest = contentDigest(body);
  const signature = hmac(secret, stringToSign({ method, target, digest, contentType, timestamp }));
  return {
    Authorization: SCHEME + signature.toString('base64'),
    'Content-Type': contentType,
    [`X-${brand}-Content-Sha256`]: digest,
    [`X-${brand}-Timestamp`]: timestamp,
  };
}

/**
 * Whether a request is an authentic notification (contract: "Notification authentication", rules 1 to 4): each signature
 * header there exactly once, the digest that of the body, the signature that of one of the secrets, compared in constant
 * time, and the signed timestamp within the tolerance.
 */
export function verifyNotification(request: SignedRequest, options: VerifyOptions): Verification {
  const { secrets, brand = 'Svc', toleranceS = 0, now = Date.now() } = options;
  const names = headerNames(brand);
  for (const name of ['authorization', names.digest, names.timestamp]) {
    if (!request.headers[name]?.length) return failed('missing-header', `there is no ${name} header`);
  }
  for (const name of ['authorization', names.digest, names.timestamp, 'content-type']) {
    if ((request.headers[name]?.length ?? 0) > 1) {
      return failed('repeated-header', `the ${name} header is there more than once`);
    }
  }
  const authorization = only(request, 'authorization');
  const digest = only(request, names.digest);
  const timestamp = only(request, names.timestamp);
  if (!authorization.startsWith(SCHEME)) return failed('scheme', `the Authorization scheme is not ${SCHEME.trim()}`);
  if (digest !== contentDigest(request.body)) {
    return failed('digest', `the body's SHA-256 is not the value of ${names.digest}: the body was changed on its way`);
  }
  const secretIndex = matchingSecret(
    authorization.slice(SCHEME.length),
    stringToSign({
      method: request.method,
      target: request.target,
      digest,
      contentType: only(request, 'content-type'),
      timestamp,
    }),
    secrets,
  );
  if (secretIndex === -1) {
    return failed(
      'signature',
      'the signature is that of another secret, method, path, query, content type or timestamp',
    );
  }
  const signedAt = parseUnixTimestamp(timestamp);
  const problem = toleranceS > 0 ? timestampProblem(signedAt, now, toleranceS) : undefined;
  if (problem) return failed('timestamp', problem);
  return { authentic: true, body: request.body as VerifiedBody, secretIndex, signedAt };
}

function failed(check: Check, detail: string): Verification {
  return { authentic: false, failed: check, detail };
}

function only(request: SignedRequest, name: string): string {
  return request.headers[name]?.[0] ?? '';
}

/** Index of the secret that signed, or -1. Every secret is tried, so the time does not tell which one fits. */
function matchingSecret(signature: string, message: string, secrets: readonly string[]): number {
  if (!BASE64_OF_32_BYTES.test(signature)) return -1;
  const received = Buffer.from(signature, 'base64');
  if (received.length !== SIGNATURE_BYTES) return -1;
  return secrets.reduce(
    (match, secret, index) => (timingSafeEqual(hmac(secret, message), received) && match === -1 ? index : match),
    -1,
  );
}

function timestampProblem(signedAt: number | undefined, now: number, toleranceS: number): string | undefined {
  if (signedAt === undefined) return 'the timestamp is no UNIX time';
  const ageS = Math.round((now - signedAt) / 1000);
  if (ageS > toleranceS) return `signed ${ageS} s ago; at most ${toleranceS} s are allowed`;
  if (ageS < -FUTURE_TOLERANCE_S) return `signed ${-ageS} s in the future; at most ${FUTURE_TOLERANCE_S} s are allowed`;
  return undefined;
}

import { explainMismatch, type Mismatch } from '../../protocol/explain-mismatch.js';
import { headerNames } from '../../protocol/header-names.js';
import {
  CHECKS,
  type Check,
  contentDigest,
  type SignedRequest,
  stringToSign,
  type Verification,
  verifyNotification,
} from '../../protocol/signature.js';
import { parseUnixTimestamp } from '../../protocol/timestamps.js';

export interface ReportOptions {
  secrets: readonly string[];
  brand: string;
  /** Seconds; 0: the timestamp's age is not checked. */
  toleranceS: number;
  publicBasePath: string;
  basePaths: readonly string[];
  callbackPath: string;
}

export interface CheckReport {
  check: Check;
  result: 'ok' | 'failed' | 'not checked' | 'not reached';
  detail?: string;
}

/** All that verifying a request shows. No secret is in it. */
export interface Report {
  authentic: boolean;
  checks: CheckReport[];
  /** Which of the secrets signed, from 1 on. */
  secret?: { number: number; of: number };
  /** RFC 3339; where the timestamp is a UNIX time. */
  signedAt?: string;
  digest: { header: string; expected: string; received?: string };
  /** With the digest, content type and timestamp received; where there is a digest and a timestamp. */
  stringToSign?: string;
  /** Where digest, signature or their headers are what is wrong. */
  mismatch?: Mismatch;
}

/** Verifies a request as the receiver does, and says of each check what came of it; explains what does not match. */
export function reportOn(request: SignedRequest, options: ReportOptions): Report {
  const { secrets, brand } = options;
  const verification = verifyNotification(request, options);
  const names = headerNames(brand);
  const digest = request.headers[names.digest]?.[0];
  const timestamp = request.headers[names.timestamp]?.[0];
  const signedAt = timestamp === undefined ? undefined : isoTime(timestamp);
  const mismatch = explainMismatch(request, options);
  return {
    authentic: verification.authentic,
    checks: CHECKS.map((check) => reportCheck(check, verification, options.toleranceS)),
    ...(verification.authentic ? { secret: { number: verification.secretIndex + 1, of: secrets.length } } : {}),
    ...(signedAt === undefined ? {} : { signedAt }),
    digest: {
      header: names.digest,
      expected: contentDigest(request.body),
      ...(digest === undefined ? {} : { received: digest }),
    },
    ...(digest === undefined || timestamp === undefined
      ? {}
      : { stringToSign: stringToSign({ ...request, digest, contentType: contentType(request), timestamp }) }),
    ...(mismatch === undefined ? {} : { mismatch }),
  };
}

function reportCheck(check: Check, verification: Verification, toleranceS: number): CheckReport {
  if (!verification.authentic) {
    const failed = CHECKS.indexOf(verification.failed);
    const index = CHECKS.indexOf(check);
    if (index === failed) return { check, result: 'failed', detail: verification.detail };
    if (index > failed) return { check, result: 'not reached' };
  }
  if (check === 'timestamp' && toleranceS === 0) {
    return { check, result: 'not checked', detail: '--tolerance says how old it may be' };
  }
  return { check, result: 'ok' };
}

/** Undefined where it is no UNIX time, or one that no calendar has. */
function isoTime(timestamp: string): string | undefined {
  const time = new Date(parseUnixTimestamp(timestamp) ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function contentType({ headers }: SignedRequest): string {
  return headers['content-type']?.[0] ?? '';
}

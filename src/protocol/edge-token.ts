import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const PREFIX = 'DIGEST:';

/** What a token is for; without a type it is for anything its capabilities allow. */
export const EDGE_TOKEN_TYPES = ['auth', 'stream', 'publish'] as const;
export type EdgeTokenType = (typeof EDGE_TOKEN_TYPES)[number];

/** The claims in the order in which they are written, and so signed. */
const claimsSchema = z.object({
  expires: z.int(),
  type: z.enum(EDGE_TOKEN_TYPES).optional(),
  capabilities: z.array(z.string().min(1)).optional(),
  sessionId: z.string().min(1).optional(),
  remoteAddress: z.string().min(1).optional(),
  originStreamId: z.string().min(1).optional(),
  requiredTag: z.string().min(1).optional(),
  applyTags: z.array(z.string().min(1)).optional(),
});

/** What a token grants. `expires`: milliseconds since the epoch. */
export type EdgeTokenClaims = z.infer<typeof claimsSchema>;

const envelopeSchema = z.object({ applicationId: z.string().min(1), digest: z.string(), token: z.string() });

/** A token taken apart, not verified. `token` is the signed text, `claims` what it says. */
export type EdgeToken = z.infer<typeof envelopeSchema> & { claims: EdgeTokenClaims };

export interface EdgeTokenOptions extends Omit<EdgeTokenClaims, 'expires'> {
  applicationId: string;
  /** The application's secret. It signs; it is no part of the token. */
  secret: string;
  /** When the token ends: a date, or milliseconds since the epoch. */
  expires: Date | number;
}

const optionsSchema = claimsSchema.extend({ applicationId: z.string().min(1), secret: z.string().min(1) });

/**
 * Makes an edge token, which authenticates publishing, restreaming and replay (contract: "Authentication"):
 * `DIGEST:` and the Base64 of `{"applicationId","digest","token"}`, where `token` is the claims as JSON text and `digest`
 * the Base64 of HMAC-SHA512 over that text with the key applicationId + secret.
 *
 * @throws TypeError that names every option it cannot take
 */
export function createEdgeToken(options: EdgeTokenOptions): string {
  const parsed = optionsSchema.safeParse({ ...options, expires: Number(options.expires) });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new TypeError(`createEdgeToken: ${problems.join('; ')}`);
  }
  const { applicationId, secret, ...claims } = parsed.data;
  const token = JSON.stringify(claims);
  const envelope = JSON.stringify({ applicationId, digest: edgeDigest(applicationId, secret, token), token });
  return PREFIX + Buffer.from(envelope, 'utf8').toString('base64');
}

/** Takes a token apart without verifying it; undefined where the text is no edge token. */
export function readEdgeToken(token: string): EdgeToken | undefined {
  if (typeof token !== 'string' || !token.startsWith(PREFIX)) return undefined;
  const base64 = token.slice(PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Node skips what is not Base64; a token cut or wrapped on its way is to be noticed.
  if (bytes.toString('base64') !== base64) return undefined;
  const envelope = envelopeSchema.safeParse(parseJson(bytes.toString('utf8')));
  if (!envelope.success) return undefined;
  const claims = claimsSchema.safeParse(parseJson(envelope.data.token));
  return claims.success ? { ...envelope.data, claims: claims.data } : undefined;
}

/** Why a token does not hold, in the order of the checks. */
export type EdgeTokenFlaw = 'malformed' | 'application' | 'digest' | 'expired';

export type EdgeTokenVerification = { valid: true; claims: EdgeTokenClaims } | { valid: false; reason: EdgeTokenFlaw };

/**
 * Whether a token was made for this application with this secret and has not expired. Digests are compared in constant
 * time; whatever the text is, nothing is thrown.
 *
 * @param expected `now`: milliseconds since the epoch, default now
 */
export function verifyEdgeToken(
  token: string,
  expected: { applicationId: string; secret: string; now?: number },
): EdgeTokenVerification {
  const { applicationId, secret, now = Date.now() } = expected;
  const read = readEdgeToken(token);
  if (!read) return { valid: false, reason: 'malformed' };
  if (read.applicationId !== applicationId) return { valid: false, reason: 'application' };
  const received = Buffer.from(read.digest, 'utf8');
  const right = Buffer.from(edgeDigest(applicationId, secret, read.token), 'utf8');
  if (received.length !== right.length || !timingSafeEqual(received, right)) return { valid: false, reason: 'digest' };
  if (read.claims.expires <= now) return { valid: false, reason: 'expired' };
  return { valid: true, claims: read.claims };
}

function edgeDigest(applicationId: string, secret: string, token: string): string {
  return createHmac('sha512', applicationId + secret)
    .update(token)
    .digest('base64');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

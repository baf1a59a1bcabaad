import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type EdgeTokenClaims,
  type EdgeTokenFlaw,
  type EdgeTokenType,
  verifyEdgeToken,
} from '../../protocol/edge-token.js';
import { Refusal } from './refusal.js';

/** The application that the sandbox knows. */
export interface Application {
  applicationId: string;
  secret: string;
}

/** What an operation asks of a token (contract: "Authentication"). */
export interface TokenDemand {
  capability: string;
  /** Types that will do; `none` is a token without a type. */
  types: readonly (EdgeTokenType | 'none')[];
}

/**
 * The contract names a type for restreaming alone. For the others: a token that is made for publishing publishes, one
 * made for streaming gets replays, and one without a type does what its capabilities allow.
 */
export const TOKEN_DEMANDS = {
  publish: { capability: 'publish-uri', types: ['none', 'publish'] },
  restream: { capability: 'egress', types: ['stream'] },
  replay: { capability: 'replay', types: ['none', 'stream'] },
} as const satisfies Record<string, TokenDemand>;

const FLAWS: Record<EdgeTokenFlaw, string> = {
  malformed: 'the token is no edge token: expected DIGEST: and Base64',
  application: 'the token is that of another application',
  digest: "the token's digest is not that of this application's secret: it was altered, or made with another secret",
  expired: 'the token has expired',
};

/** What a request proves itself with. */
export interface Bearer {
  token: string | undefined;
  /** `applicationId` of the path. */
  applicationId: string;
  remoteAddress: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * The claims of a token that is good for an operation.
 *
 * @throws Refusal 401 `unauthorized`, with the reason for people to read
 */
export function authorizeToken(application: Application, bearer: Bearer, demand: TokenDemand): EdgeTokenClaims {
  const { token, applicationId, remoteAddress, now } = bearer;
  if (token === undefined) throw unauthorized('there is no edge token');
  if (applicationId !== application.applicationId) {
    throw unauthorized(`there is no application "${applicationId}"; there is "${application.applicationId}"`);
  }
  const verification = verifyEdgeToken(token, { ...application, now });
  if (!verification.valid) throw unauthorized(FLAWS[verification.reason]);
  const { claims } = verification;
  if (!demand.types.includes(claims.type ?? 'none')) {
    const expected = demand.types.join(' or ');
    throw unauthorized(`the token's type is ${claims.type ?? 'none'}; expected ${expected}`);
  }
  if (!claims.capabilities?.includes(demand.capability)) {
    throw unauthorized(`the token lacks the capability ${demand.capability}`);
  }
  if (claims.remoteAddress !== undefined && claims.remoteAddress !== remoteAddress) {
    throw unauthorized(`the token is for ${claims.remoteAddress}; the request is from ${remoteAddress}`);
  }
  return claims;
}

/**
 * Whether credentials are those of the application in the path.
 *
 * @throws Refusal 401 `unauthorized`
 */
export function authorizeCredentials(
  application: Application,
  applicationId: string,
  credentials: Application | undefined,
): void {
  if (!credentials) throw unauthorized('there are no credentials: expected Basic authentication');
  const right =
    applicationId === application.applicationId &&
    credentials.applicationId === application.applicationId &&
    sameText(credentials.secret, application.secret);
  if (!right) throw unauthorized('application identifier and secret are not those of the application in the path');
}

function unauthorized(message: string): Refusal {
  return new Refusal(401, 'unauthorized', message);
}

function sameText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

import { type EdgeTokenType, readEdgeToken } from '../../protocol/edge-token.js';

/** What an operation wants of an edge token (contract: "Authentication"). */
export interface TokenNeeds {
  capability: string;
  type?: EdgeTokenType;
}

/**
 * Why the platform will probably refuse a token, as far as the token itself tells; the platform decides. Nothing for a
 * token of another form.
 *
 * @param now milliseconds since the epoch
 */
export function tokenWarnings(
  token: string,
  { capability, type }: TokenNeeds,
  applicationId: string,
  now: number,
): string[] {
  const read = readEdgeToken(token);
  if (!read) return [];
  const { claims } = read;
  const otherType = claims.type !== undefined && type !== undefined && claims.type !== type;
  return [
    read.applicationId === applicationId ? '' : `the token is for application ${read.applicationId}`,
    claims.expires > now ? '' : `the token expired at ${new Date(claims.expires).toISOString()}`,
    claims.capabilities?.includes(capability) ? '' : `the token lacks the capability ${capability}`,
    otherType ? `the token is of type ${claims.type}, expected ${type}` : '',
  ].filter(Boolean);
}

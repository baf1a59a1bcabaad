import { z } from 'zod';
import type { SignedRequest } from '../../protocol/signature.js';
import { distinctHeaders } from '../../receiver/distinct-headers.js';

const value = z.union([z.string(), z.array(z.string())]);
const vectorSchema = z.object({
  method: z.string(),
  target: z.string(),
  headers: z.record(z.string(), value),
  bodyBase64: z.base64(),
  secrets: z.array(z.string().min(1)).min(1).optional(),
});

/** A whole request in one JSON object, with the secrets to verify it by, if they are in it. */
export interface Vector {
  request: SignedRequest;
  secrets: string[] | undefined;
}

/** Reads `{ method, target, headers, bodyBase64, secrets? }`. Throws where it is none, saying why. */
export function parseVector(bytes: Buffer): Vector {
  const parsed = vectorSchema.safeParse(parseJson(bytes));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
    throw new Error(`expected an object { method, target, headers, bodyBase64, secrets? }; ${problems.join('; ')}`);
  }
  const { method, target, headers, bodyBase64, secrets } = parsed.data;
  const pairs = Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((one) => [name, one]));
  return {
    request: { method, target, headers: distinctHeaders(pairs), body: Buffer.from(bodyBase64, 'base64') },
    secrets,
  };
}

function parseJson(bytes: Buffer): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    // The parser's message has a piece of the text in it, which may be a secret.
    throw new Error('expected JSON', { cause: (cause as Error).name });
  }
  if (!Array.isArray(parsed)) return parsed;
  throw new Error(`expected one object, received an array of ${parsed.length}: take one of them out (jq '.[0]')`);
}

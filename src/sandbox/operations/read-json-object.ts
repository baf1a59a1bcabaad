import { Refusal } from './refusal.js';

/**
 * The JSON object of a request's body.
 *
 * @throws Refusal 400 where the content type or the body is another
 */
export function readJsonObject(request: { contentType: string | undefined; body: string }): Record<string, unknown> {
  const mediaType = request.contentType?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    const received = mediaType === undefined ? 'none' : `"${mediaType}"`;
    throw new Refusal(400, 'invalid-content-type', `Content-Type: expected application/json; received ${received}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch {
    throw new Refusal(400, 'invalid-json', 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, 'invalid-json', 'the body is JSON, but no object');
  }
  return value as Record<string, unknown>;
}

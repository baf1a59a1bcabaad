import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { basePath, headerToken } from '../../config/values.js';
import { parseMessageTimestamp, parseUnixTimestamp } from '../../protocol/timestamps.js';

/** One of the methods that a callback may be registered with (contract: "Callback object"). */
export function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (['GET', 'POST', 'PUT'].includes(method)) return method;
  throw new InvalidArgumentError('Expected GET, POST or PUT.');
}

/** Path and query as they go over the wire. */
export function parseTarget(text: string): string {
  if (/^\/[!-~]*$/.test(text) && !text.includes('#')) return text;
  throw new InvalidArgumentError(
    'Expected a path, and a query if any, that starts with /, what is not ASCII percent-encoded.',
  );
}

export function parseContentType(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && text.trim() === text) return text;
  throw new InvalidArgumentError('Expected printable ASCII without spaces around it.');
}

export const parseBrand = bySchema(headerToken);
export const parseBasePath = bySchema(basePath);

/** Every value of a flag that may be repeated. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

export function collectBasePaths(text: string, before: readonly string[] = []): string[] {
  return [...before, parseBasePath(text)];
}

/** Value of the timestamp header: UNIX time as it is given, or in seconds of an RFC 3339 time. */
export function parseSignedAt(text: string): string {
  if (parseUnixTimestamp(text) !== undefined) return text;
  const time = parseMessageTimestamp(text);
  if (time !== undefined) return String(Math.floor(time / 1000));
  throw new InvalidArgumentError('Expected UNIX time in seconds or milliseconds, or RFC 3339 (2026-01-31T12:00:00Z).');
}

/** A message's timestamp in milliseconds since the epoch, of RFC 3339 or UNIX milliseconds. */
export function parseTimestamp(text: string): number {
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const time = /(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? parseMessageTimestamp(text) : undefined;
  if (time !== undefined) return time;
  throw new InvalidArgumentError(
    'Expected RFC 3339 with a zone (2026-01-31T12:00:00Z), or UNIX time in milliseconds (13 digits).',
  );
}

/** An address to send to. Its credentials would take the place of the signature in `Authorization`. */
export function parseHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('Expected an http:// or https:// URL.');
  if (url.username !== '' || url.password !== '') throw new InvalidArgumentError('Expected a URL without credentials.');
  url.hash = '';
  return url;
}

export function parseCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= least && count <= most) return count;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

function bySchema<Value>(schema: z.ZodType<Value, string>): (text: string) => Value {
  return (text) => {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`Expected ${parsed.error.issues[0]?.message}.`);
  };
}

/** A JSON object. */
export function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`Expected a JSON object (${(error as Error).message}).`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InvalidArgumentError('Expected a JSON object.');
}

/** `a,b`; nothing is no tag at all. */
export function parseTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** An unset variable of a script is no name. */
export function parseName(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected something that is not empty.');
}

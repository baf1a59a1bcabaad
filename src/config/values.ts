import { isIP } from 'node:net';
import bytes from 'bytes';
import { z } from 'zod';
import { parseRedisUrl } from '../redis/redis-url.js';

/** Node's timers take no more milliseconds than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const TEN_YEARS_S = 315_360_000;
const ONE_GB = 2 ** 30;

// Each schema reads the text of one variable; the message of its first issue completes "expected …".

export function wholeNumber(min: number, max: number, unit = '') {
  const error = `a whole number${unit} from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,12}$/, { error })
    .transform(Number)
    .pipe(z.int().min(min, { error }).max(max, { error }));
}

export const portNumber = wholeNumber(0, 65_535);
export const milliseconds = (min: number) => wholeNumber(min, LONGEST_TIMER_MS, ' of milliseconds');
export const seconds = (min: number) => wholeNumber(min, TEN_YEARS_S, ' of seconds');

export const size = z.string().transform((text, context) => {
  const read = /^\d+(\.\d+)?\s*(b|kb|mb|gb)?$/i.test(text) ? bytes.parse(text) : null;
  if (read !== null && read >= 1 && read <= ONE_GB) return read;
  context.addIssue({ code: 'custom', message: 'a size such as 1mb or 500kb, from 1b to 1gb' });
  return z.NEVER;
});

export function oneOf<const Name extends string>(names: readonly [Name, ...Name[]]) {
  return z.enum(names, { error: `one of ${names.join(', ')}` });
}

export const listenHost = z.string().refine((text) => isIP(text) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text), {
  error: 'an IP address or a host name, without a port',
});

const path = /^\/[^\s?#]*$/;

export const callbackPath = z
  .string()
  .regex(path, { error: 'a path that starts with / and has no query' })
  .refine((text) => text.toLowerCase() !== '/healthz', { error: 'another path than /healthz, which answers itself' });

export const basePath = z.string().refine((text) => text === '' || (path.test(text) && !text.endsWith('/')), {
  error: 'a path that starts with / and does not end with one, without a query',
});

/** The characters of a header's name (RFC 9110, "token"). */
export const headerToken = z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, {
  error: "characters of a header's name only: letters, digits and !#$%&'*+-.^_`|~",
});

export const applicationId = z.string().regex(/^[^\s:/]+$/, { error: 'an identifier without spaces, colons, slashes' });

export const secretList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every((part) => part !== ''), {
    error: 'one secret, or several separated by commas, none of them empty',
  });

export const token = z.string().regex(/^[\x21-\x7e]+$/, { error: 'ASCII characters without spaces' });

export const redisUrl = z.string().superRefine((text, context) => {
  const result = parseRedisUrl(text);
  if ('problem' in result) context.addIssue({ code: 'custom', message: result.problem });
});

/** Colons separate the parts of a key. */
export const keyPrefix = z.string().refine((text) => !/\s/.test(text) && !/^:|:$/.test(text), {
  error: 'a prefix without spaces that neither starts nor ends with a colon',
});

export const pathList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every((part) => part !== ''), {
    error: 'a path, or several separated by commas, none of them empty',
  });

export const folder = z.string().refine((text) => !text.includes('\0'), { error: 'the path of a folder' });

export const httpUrl = z.url({ protocol: /^https?$/, error: 'an http:// or https:// URL' });

/** As the Standard Webhooks scheme writes its keys. */
export const webhookSecret = z
  .string()
  .regex(/^(?:whsec_)?(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/, {
    error: 'base64, with or without whsec_ before it',
  })
  .refine((text) => text !== 'whsec_', { error: 'base64 after whsec_' });

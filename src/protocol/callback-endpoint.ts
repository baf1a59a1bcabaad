import { z } from 'zod';

/** Where the platform delivers (contract: "Callback object"), as it is sent when registering. */
export const callbackSchema = z.object({
  protocol: z.enum(['http', 'https']).optional(),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).optional(),
  method: z.enum(['GET', 'POST', 'PUT']).optional(),
  path: z.string().optional(),
  query: z.string().optional(),
});

export type Callback = z.infer<typeof callbackSchema>;

/** A callback with every default filled in. */
export type ResolvedCallback = { [Field in keyof Callback]-?: NonNullable<Callback[Field]> };

/** Fills in the defaults: http, port 80 or 443, POST, `/`, no query (contract: "Callback object"). */
export function resolveCallback(callback: Callback): ResolvedCallback {
  const protocol = callback.protocol ?? 'http';
  return {
    protocol,
    host: callback.host,
    port: callback.port ?? (protocol === 'https' ? 443 : 80),
    method: callback.method ?? 'POST',
    path: callback.path ?? '/',
    query: callback.query ?? '',
  };
}

/** Path and query of a delivery: what is requested, and what is signed. */
export function callbackTarget(callback: ResolvedCallback): string {
  return callback.query === '' ? callback.path : `${callback.path}?${callback.query}`;
}

/** `<METHOD> <protocol>://<host>:<port><path>?<query>`, as the platform returns it on registering. */
export function formatCallback(callback: ResolvedCallback): string {
  return `${callback.method} ${callback.protocol}://${callback.host}:${callback.port}${callbackTarget(callback)}`;
}

/** The inverse of {@link formatCallback}; undefined where the text is no endpoint. */
export function parseCallback(endpoint: string): ResolvedCallback | undefined {
  const match = /^(GET|POST|PUT) (https?):\/\/(\[[^\]]+\]|[^:/?]+):(\d{1,5})([^?]*)(?:\?(.*))?$/.exec(endpoint);
  if (!match) return undefined;
  const [, method, protocol, host, port, path, query] = match;
  const callback = callbackSchema.safeParse({ method, protocol, host, port: Number(port), path, query });
  return callback.success ? resolveCallback(callback.data) : undefined;
}

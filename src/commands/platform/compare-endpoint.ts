import { parseCallback, type ResolvedCallback } from '../../protocol/callback-endpoint.js';
import { isLoopback } from './settings.js';

/** Methods that the callback takes. */
export const LISTENING_METHODS = ['GET', 'POST', 'PUT'] as const;

/** The path under which the platform reaches the callback: what a proxy strips, and what is left. */
export function listeningPath(env: Record<string, string | undefined>): string {
  const base = (env.PUBLIC_BASE_PATH ?? '').replace(/\/+$/, '');
  return base + (env.CALLBACK_PATH || '/callback');
}

/**
 * Where the endpoint as the platform resolved it differs from what was asked for, and from what this service listens on;
 * one warning each, none where notifications will arrive.
 */
export function compareEndpoint(endpoint: string, asked: ResolvedCallback, listening: string): string[] {
  const resolved = parseCallback(endpoint);
  if (!resolved) {
    const method = /^([A-Z]+) /.exec(endpoint)?.[1];
    return method && !(LISTENING_METHODS as readonly string[]).includes(method)
      ? [`method: the platform will send ${method}; this service takes ${LISTENING_METHODS.join(', ')} alone`]
      : ['the endpoint has an unknown form: compare it with what this service listens on yourself'];
  }
  const warnings: string[] = [];
  for (const field of ['method', 'protocol', 'host', 'port', 'path', 'query'] as const) {
    if (normalised(resolved, field) !== normalised(asked, field)) {
      warnings.push(`${field}: asked for ${shown(asked[field])}, the platform resolved ${shown(resolved[field])}`);
    }
  }
  // Exactly: the receiver verifies and routes by the path as it came.
  const path = resolved.path || '/';
  if (path !== listening) {
    warnings.push(
      `path: notifications go to ${path}, this service listens on ${listening} ` +
        '(PUBLIC_BASE_PATH and CALLBACK_PATH): they would be answered 404 and not be sent again',
    );
  }
  if (resolved.protocol === 'http' && !isLoopback(resolved.host)) {
    warnings.push('protocol: http: notifications travel unencrypted; --protocol https if a proxy ends TLS');
  }
  return warnings;
}

function normalised(callback: ResolvedCallback, field: keyof ResolvedCallback): string {
  return field === 'host' ? callback.host.toLowerCase() : String(callback[field]);
}

function shown(value: string | number): string {
  return value === '' ? 'none' : String(value);
}

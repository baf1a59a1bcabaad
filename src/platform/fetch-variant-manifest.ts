import type { Application, CallOptions } from './application.js';
import { fetchManifest } from './fetch-replay-manifest.js';
import type { ReplayManifest, ReplayVariant } from './parse-replay-manifest.js';
import { invalidRequest, type PlatformResult } from './platform-error.js';

/**
 * Fetches the manifest of a variant (contract: "Fetch a replay manifest"), at its reference resolved against the primary
 * manifest's URL. The reference holds the edge token, and it is data: one that leads away from `baseUrl` is refused.
 */
export async function fetchVariantManifest(
  application: Application,
  variant: Pick<ReplayVariant, 'url'>,
  options: CallOptions = {},
): Promise<PlatformResult<ReplayManifest>> {
  const url = URL.canParse(variant.url) ? new URL(variant.url) : undefined;
  if (!url) return invalidRequest(['variant.url: expected a URL, as a fetched primary manifest has it']);
  const { origin } = application.baseUrl;
  if (url.origin === origin) return fetchManifest(application, url, options);
  const message = `nothing was sent: the variant's manifest is at ${url.origin}, and edge tokens go to ${origin} alone`;
  return { ok: false, error: { status: 'foreign-origin', http: undefined, retry: 'never', message, attempts: 0 } };
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Callback } from '../protocol/callback-endpoint.js';
import { type Application, type CallOptions, problemsOf, segmentSchema } from './application.js';
import { fetchReplayManifest, type ReplayInput } from './fetch-replay-manifest.js';
import { fetchVariantManifest } from './fetch-variant-manifest.js';
import type { ReplayManifest, ReplayVariant } from './parse-replay-manifest.js';
import type { PlatformResult, RetryNotice } from './platform-error.js';
import { type PublishInput, publishUri } from './publish-uri.js';
import { type RegisterOptions, type Registration, registerCallback } from './register-callback.js';
import { type RestreamInput, restream } from './restream.js';
import { DEFAULT_RETRY, type RetryOptions } from './retry-schedule.js';
import type { IngestedStream } from './stream-answer.js';

export interface PlatformClientOptions {
  /** Address of the platform, http or https; a path in it is kept. */
  baseUrl: string | URL;
  applicationId: string;
  /** The application's secret; registering needs it, nothing else does. */
  secret?: string | undefined;
  /** Edge token of the operations that are given none of their own. */
  token?: string | undefined;
  /** First segment of every path. Default `svc`. */
  brand?: string | undefined;
  /** For one attempt, to the last byte of its answer, ms. Default 10000. */
  timeoutMs?: number | undefined;
  /** Longest answer that is read, bytes. Default 4 MiB. */
  maxAnswerBytes?: number | undefined;
  retry?: Partial<RetryOptions> | undefined;
  /** An undici Agent of your own (proxies, certificates); default: undici's global one. */
  dispatcher?: Dispatcher | undefined;
  /** Told before each wait for another attempt. */
  onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** How waits are waited; default: a timer. Rejects when the signal aborts. */
  sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** Where the jitter comes from, 0 to 1; default `Math.random`. */
  random?: (() => number) | undefined;
}

/** The platform's operations. No method throws for what the platform, the network or an input does: see {@link PlatformResult}. */
export interface PlatformClient {
  registerCallback(callback: Callback, options?: RegisterOptions): Promise<PlatformResult<Registration>>;
  publishUri(input: PublishInput, options?: CallOptions): Promise<PlatformResult<IngestedStream>>;
  fetchReplayManifest(input: ReplayInput, options?: CallOptions): Promise<PlatformResult<ReplayManifest>>;
  fetchVariantManifest(
    variant: Pick<ReplayVariant, 'url'>,
    options?: CallOptions,
  ): Promise<PlatformResult<ReplayManifest>>;
  restream(input: RestreamInput, options?: CallOptions): Promise<PlatformResult<IngestedStream>>;
}

const optionsSchema = z.object({
  baseUrl: z
    .union([z.string(), z.instanceof(URL)])
    .transform((url) => (URL.canParse(url.toString()) ? new URL(url) : undefined))
    .refine((url) => url && /^https?:$/.test(url.protocol), { error: 'expected an http or https URL' })
    .refine((url) => !url || `${url.username}${url.password}${url.search}${url.hash}` === '', {
      error: 'expected no user, query or fragment',
    }),
  applicationId: segmentSchema,
  secret: z.string().min(1).optional(),
  token: z.string().min(1).optional(),
  brand: segmentSchema.default('svc'),
  timeoutMs: z.int().min(1).max(2_147_483_647).default(10_000),
  maxAnswerBytes: z.int().min(1).default(4_194_304),
  retry: z
    .strictObject({
      maxAttempts: z.int().min(1).default(DEFAULT_RETRY.maxAttempts),
      baseMs: z.number().min(0).default(DEFAULT_RETRY.baseMs),
      maxMs: z.number().min(0).max(2_147_483_647).default(DEFAULT_RETRY.maxMs),
    })
    .default(DEFAULT_RETRY),
});

/**
 * A client of the platform's operations (contract: "Endpoints"). Attempts that the contract's guidance lets repeat are
 * repeated ("Errors"); what then still fails is a value.
 *
 * @throws TypeError that names every option it cannot take
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw new TypeError(`createPlatformClient: ${problemsOf(parsed.error).join('; ')}`);
  const { baseUrl, applicationId, secret, token, brand, timeoutMs, maxAnswerBytes, retry } = parsed.data;
  const application: Application = {
    baseUrl: baseUrl as URL,
    brand,
    applicationId,
    secret,
    token,
    connection: {
      limits: { timeoutMs, maxAnswerBytes, dispatcher: options.dispatcher },
      retry,
      sleep: options.sleep ?? ((ms, signal) => wait(ms, undefined, signal && { signal })),
      random: options.random ?? Math.random,
      onRetry: options.onRetry ?? (() => {}),
    },
  };
  return {
    registerCallback: (callback, registering) => registerCallback(application, callback, registering),
    publishUri: (input, call) => publishUri(application, input, call),
    fetchReplayManifest: (input, call) => fetchReplayManifest(application, input, call),
    fetchVariantManifest: (variant, call) => fetchVariantManifest(application, variant, call),
    restream: (input, call) => restream(application, input, call),
  };
}

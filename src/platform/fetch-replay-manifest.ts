import { z } from 'zod';
import {
  type Application,
  type CallOptions,
  operationUrl,
  problemsOf,
  segmentSchema,
  tokenSchema,
} from './application.js';
import { callPlatform } from './call-platform.js';
import { parseReplayManifest, type ReplayManifest } from './parse-replay-manifest.js';
import { invalidRequest, type PlatformResult } from './platform-error.js';
import { type Moment, replayTimeSchema } from './replay-time.js';

export interface ReplayInput {
  /** `primary` (default), or a quality, such as `xhd`; the contract does not list them all. */
  type?: string | undefined;
  startTime: Moment;
  /** After the start. */
  endTime: Moment;
  /** Edge token with the capability `replay`; default: the client's. It is sent in the query. */
  token?: string | undefined;
  /** Sent only where given; the platform's default is 0. */
  apiVersion?: number | undefined;
  /** Sent as it is, only where given; the contract states no unit. */
  httpRoundTripTime?: number | undefined;
}

/** Fetches the playlist of a time range (contract: "Fetch a replay manifest"), parsed as well as raw. */
export async function fetchReplayManifest(
  application: Application,
  input: ReplayInput,
  options: CallOptions = {},
): Promise<PlatformResult<ReplayManifest>> {
  const schema = z
    .strictObject({
      type: segmentSchema.default('primary'),
      startTime: replayTimeSchema,
      endTime: replayTimeSchema,
      token: tokenSchema(application),
      apiVersion: z.int().nonnegative().optional(),
      httpRoundTripTime: z.number().nonnegative().optional(),
    })
    // Written alike, the texts compare as the times do.
    .refine(({ startTime, endTime }) => startTime < endTime, { path: ['endTime'], error: 'expected after startTime' });
  const parsed = schema.safeParse(input);
  if (!parsed.success) return invalidRequest(problemsOf(parsed.error));
  const { type, token, startTime, endTime, apiVersion, httpRoundTripTime } = parsed.data;
  const url = operationUrl(application, application.applicationId, 'stream', 'replay', `${type}.m3u8`);
  url.search = new URLSearchParams({
    edgeAuthToken: token,
    startTime,
    endTime,
    ...(apiVersion === undefined ? {} : { apiVersion: String(apiVersion) }),
    ...(httpRoundTripTime === undefined ? {} : { httpRoundTripTime: String(httpRoundTripTime) }),
  }).toString();
  return fetchManifest(application, url, options);
}

/** The request itself, which the manifest of a variant shares. */
export function fetchManifest(
  application: Application,
  url: URL,
  options: CallOptions,
): Promise<PlatformResult<ReplayManifest>> {
  return callPlatform(
    application.connection,
    { operation: 'replay', method: 'GET', url, headers: { accept: 'application/json' } },
    ({ text }) => parseReplayManifest(text, url.href),
    options.signal,
  );
}

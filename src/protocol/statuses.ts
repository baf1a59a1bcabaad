/** When a caller should repeat a request: guidance of the contract ("Errors"). */
export type RetryGuidance = 'never' | 'once' | 'immediately-then-backoff';

/** The operations of the platform. */
export type Operation = 'register' | 'publish' | 'replay' | 'restream';

export interface Status {
  /** HTTP code that goes with it. */
  http: number;
  retry: RetryGuidance;
  /** Operations that may answer it. */
  operations: readonly Operation[];
  meaning: string;
}

const ALL = ['register', 'publish', 'replay', 'restream'] as const;

/** The named statuses of the contract ("Common to all operations", "Additional codes"). */
export const STATUSES = {
  ok: { http: 200, retry: 'never', operations: ALL, meaning: 'success' },
  unauthorized: { http: 401, retry: 'never', operations: ALL, meaning: 'the credentials could not be authorised' },
  capacity: { http: 503, retry: 'once', operations: ALL, meaning: 'the system is temporarily overloaded' },
  'geo-restricted': {
    http: 402,
    retry: 'never',
    operations: ['publish', 'replay'],
    meaning: 'access to the content is geo-restricted',
  },
  'geo-blocked': {
    http: 403,
    retry: 'never',
    operations: ['publish', 'replay'],
    meaning: 'access to the content is geo-blocked',
  },
  'conflicting-capability': {
    http: 409,
    retry: 'never',
    operations: ['publish'],
    meaning: 'more than one ingest capability is specified',
  },
  'invalid-source-uri': {
    http: 415,
    retry: 'never',
    operations: ['publish'],
    meaning: 'the URI to publish is not valid',
  },
  'requires-streaming': {
    http: 415,
    retry: 'never',
    operations: ['restream'],
    meaning: 'the source stream was published without the streaming capability',
  },
  'request-timeout': {
    http: 408,
    retry: 'immediately-then-backoff',
    operations: ['replay'],
    meaning: 'the request timed out from temporary conditions',
  },
  'rate-limited': {
    http: 504,
    retry: 'immediately-then-backoff',
    operations: ['publish', 'replay'],
    meaning: 'the system is temporarily overloaded',
  },
} as const satisfies Record<string, Status>;

export type StatusName = keyof typeof STATUSES;

/**
 * Retry guidance for an answer (contract: "Errors"): that of its named status, and of its HTTP code where the status is
 * unknown or the body was not JSON.
 */
export function retryGuidance(http: number, status?: string): RetryGuidance {
  const named = status === undefined || !Object.hasOwn(STATUSES, status) ? undefined : STATUSES[status as StatusName];
  if (named && named.http === http) return named.retry;
  if (http === 503) return 'once';
  if (http === 408 || http >= 500) return 'immediately-then-backoff';
  return 'never';
}

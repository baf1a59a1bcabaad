import { type RetryGuidance, retryGuidance, STATUSES, type Status, type StatusName } from '../protocol/statuses.js';
import type { Failure } from './platform-error.js';
import { type Answer, type PlatformRequest, requestName } from './send-attempt.js';

/** What a success must hold to be one; `problem` says what is missing. */
export type SuccessReader<Result> = (success: {
  json: unknown;
  text: string;
}) => { result: Result } | { problem: string; cause?: unknown };

/**
 * Tells success from failure (contract: "Errors"). A failure is a code other than 2XX, or a `status` other than `ok`
 * under any code. Bodies that are not JSON are as good as none: then the HTTP code alone speaks.
 */
export function readAnswer<Result>(
  request: PlatformRequest,
  answer: Answer,
  read: SuccessReader<Result>,
): { result: Result } | { failure: Failure } {
  const text = answer.body?.toString('utf8') ?? '';
  const json = parseJson(text);
  const status = statusOf(json);
  if (answer.http < 200 || answer.http > 299 || (status !== undefined && status !== 'ok')) {
    return { failure: refused(request, answer, status, json) };
  }
  const success = answer.body === undefined ? { problem: 'its body is longer than allowed' } : read({ json, text });
  if ('result' in success) return success;
  const seen = `${answer.contentType || 'no content type'}, ${answer.body?.length ?? 'too many'} bytes`;
  return {
    failure: {
      status: 'invalid-answer',
      http: answer.http,
      // The platform has acted: the same request again would act again.
      retry: 'never',
      message: `${requestName(request)} was answered ${answer.http}, but ${success.problem} (${seen})`,
      ...(json === undefined ? {} : { answer: json }),
      ...('cause' in success ? { cause: success.cause } : {}),
    },
  };
}

function refused(request: PlatformRequest, answer: Answer, status: string | undefined, json: unknown): Failure {
  const { http, contentType } = answer;
  const named = status !== undefined && Object.hasOwn(STATUSES, status) ? STATUSES[status as StatusName] : undefined;
  const said =
    status === undefined ? `${http} without a status (${contentType || 'no content type'})` : `${http} ${status}`;
  const meaning = named ? `: ${named.meaning}` : http >= 300 && http < 400 ? ': redirects are not followed' : '';
  return {
    status: status ?? `http-${http}`,
    http,
    retry: guidanceFor(request, http, status),
    message: `${requestName(request)} was answered ${said}${meaning}`,
    ...(json === undefined ? {} : { answer: json }),
  };
}

/** A code that the contract lets other operations repeat ("Additional codes") is here one of the "other 4XX": never. */
function guidanceFor({ operation }: PlatformRequest, http: number, status: string | undefined): RetryGuidance {
  const named = Object.values<Status>(STATUSES).filter((one) => one.http === http);
  const elsewhere = named.length > 0 && !named.some(({ operations }) => operations.includes(operation));
  return elsewhere && http < 500 ? 'never' : retryGuidance(http, status);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The answer's `status`, where it is one word or a few: it goes into messages, which are one line. */
function statusOf(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('status' in json)) return undefined;
  return typeof json.status === 'string' && /^[\x20-\x7e]{1,100}$/.test(json.status) ? json.status : undefined;
}

/** The outcomes of a request, as logs and metrics name them, each with its HTTP status and the `status` of its body. */
export const ANSWERS = {
  accepted: { http: 200, status: 'ok' },
  duplicate: { http: 200, status: 'ok' },
  healthy: { http: 200, status: 'ok' },
  invalid: { http: 400, status: 'invalid-notification' },
  unauthorized: { http: 401, status: 'unauthorized' },
  'not-found': { http: 404, status: 'not-found' },
  'method-not-allowed': { http: 405, status: 'method-not-allowed' },
  'too-large': { http: 413, status: 'payload-too-large' },
  /** The receiver has as much at hand as it may. */
  overloaded: { http: 503, status: 'capacity' },
  /** The service is shutting down. */
  stopping: { http: 503, status: 'capacity' },
  /** It could not be made durable, or something unforeseen happened. */
  unavailable: { http: 503, status: 'capacity' },
  /** No HTTP that Node's parser takes, or not within its time. */
  malformed: { http: 503, status: 'capacity' },
} as const satisfies Record<string, { http: number; status: string }>;

/** What a request can be answered with. */
export type AnswerName = keyof typeof ANSWERS;

/** What became of a request: its answer, or `aborted` where the sender left before sending all of it. */
export type Outcome = AnswerName | 'aborted';

/** When the platform may come again after a 503, seconds: the first wait of its own back-off. */
export const RETRY_AFTER_S = 3;

/** What a body carries beside its `status`. */
export interface AnswerFields {
  id?: string | undefined;
  duplicate?: true;
  message?: string;
}

/** The JSON body of an answer. */
export function answerBody(name: AnswerName, fields: AnswerFields = {}): string {
  return JSON.stringify({ status: ANSWERS[name].status, ...fields });
}

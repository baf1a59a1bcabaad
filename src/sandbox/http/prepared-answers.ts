import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { type Operation, STATUSES, type Status } from '../../protocol/statuses.js';

/** The operations by name, as answers are prepared for them. */
export const OPERATIONS = ['register', 'publish', 'replay', 'restream'] as const satisfies readonly Operation[];

/** A body as the contract warns of: "Some 5XX errors … may have an arbitrary body that is not JSON". */
const NOT_JSON = '<html><body><h1>The server made a mistake</h1></body></html>\n';

const schema = z.strictObject({
  operation: z.enum(OPERATIONS).optional(),
  http: z.int().min(200).max(599),
  status: z.string().min(1).optional(),
  body: z.string().optional(),
  notJson: z.boolean().optional(),
  contentType: z.string().optional(),
  delayMs: z.number().min(0).max(600_000).optional(),
  times: z.int().min(1).optional(),
});

/** An answer that an operation shall give instead of its own. */
export interface PreparedAnswer {
  /** Default any. */
  operation?: Operation | undefined;
  /** 200 to 599. */
  http: number;
  /** `status` of the JSON body; default the contract's for this code, or one made of the code's name. */
  status?: string | undefined;
  /** A body to be sent as it is, instead of JSON. */
  body?: string | undefined;
  /** A body that is not JSON, where it does not matter which. */
  notJson?: boolean | undefined;
  /** Of `body`; default `text/html`. */
  contentType?: string | undefined;
  /** Answers so much later, real ms; default 0. */
  delayMs?: number | undefined;
  /** How many requests get it; default 1. */
  times?: number | undefined;
}

/** What is sent for a prepared answer. */
export interface RawAnswer {
  http: number;
  contentType: string;
  body: string;
  delayMs: number;
}

export interface PreparedAnswers {
  /** @throws TypeError that names the field it cannot take */
  add(answer: unknown): PreparedAnswer;
  /** The answer that is next for an operation, if there is one; it is used up by this. */
  take(operation: Operation): RawAnswer | undefined;
  waiting(): PreparedAnswer[];
  clear(): void;
}

export function createPreparedAnswers(): PreparedAnswers {
  let queue: (PreparedAnswer & { times: number })[] = [];
  return {
    add(answer) {
      const read = schema.safeParse(answer);
      if (!read.success) {
        const issue = read.error.issues[0];
        throw new TypeError(`${issue?.path.join('.') || 'answer'}: ${issue?.message}`);
      }
      const prepared = { ...read.data, times: read.data.times ?? 1 };
      queue.push(prepared);
      return prepared;
    },
    take(operation) {
      const next = queue.find((answer) => answer.operation === undefined || answer.operation === operation);
      if (!next) return undefined;
      next.times -= 1;
      queue = queue.filter((answer) => answer.times > 0);
      return rawAnswer(next, operation);
    },
    waiting: () => queue.map((answer) => ({ ...answer })),
    clear: () => {
      queue = [];
    },
  };
}

/**
 * An answer asked for by the request itself (`X-Sandbox-Answer` or `sandboxAnswer`): `503`, `503 capacity`, or
 * `503 not-json`. Undefined where the text is none of these.
 */
export function readRequestedAnswer(text: string, operation: Operation): RawAnswer | undefined {
  const match = /^([2-5]\d\d)(?: ([a-z0-9-]+))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, http, status] = match;
  return rawAnswer({ http: Number(http), ...(status === 'not-json' ? { notJson: true } : { status }) }, operation);
}

function rawAnswer(answer: PreparedAnswer, operation: Operation): RawAnswer {
  const { http, delayMs = 0 } = answer;
  const text = answer.body ?? (answer.notJson ? NOT_JSON : undefined);
  if (text !== undefined) {
    return { http, delayMs, contentType: answer.contentType ?? 'text/html; charset=utf-8', body: text };
  }
  const body = JSON.stringify({ status: answer.status ?? statusFor(http, operation) });
  return { http, delayMs, contentType: 'application/json; charset=utf-8', body };
}

/** The contract's status of a code ("Errors"), preferably that of the operation; otherwise the code's name. */
function statusFor(http: number, operation: Operation): string {
  const named = Object.entries<Status>(STATUSES).filter(([, status]) => status.http === http);
  const ofOperation = named.find(([, status]) => status.operations.includes(operation)) ?? named[0];
  return ofOperation?.[0] ?? (STATUS_CODES[http] ?? `http-${http}`).toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

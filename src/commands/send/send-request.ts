import { type Dispatcher, request } from 'undici';

/** Of an answer no more is read: what is looked for stands in a few bytes of JSON. */
const ANSWER_LIMIT_BYTES = 65_536;

export interface RequestToSend {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  dispatcher: Dispatcher;
}

/** What a receiver answers with, as far as it says so. */
export interface AnswerFields {
  status?: string;
  id?: string;
  duplicate?: boolean;
  message?: string;
}

/** What became of a request. `unreachable`: it found no one to talk to. */
export type Outcome = { ms: number } & (
  | { http: number; answer: AnswerFields }
  | { http: undefined; error: string; unreachable: boolean }
);

/** Sends one request, whatever its method with its body, and waits for the whole answer. Redirects are not followed. */
export async function sendRequest({ url, timeoutMs, method, ...options }: RequestToSend): Promise<Outcome> {
  const startedAt = performance.now();
  // In ms, to the microsecond.
  const elapsed = () => Math.round((performance.now() - startedAt) * 1000) / 1000;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await request(url, { ...options, method: method as Dispatcher.HttpMethod, signal });
    const text = await readText(answer.body);
    return { http: answer.statusCode, answer: readAnswer(text), ms: elapsed() };
  } catch (error) {
    const timedOut = (error as Error | undefined)?.name === 'TimeoutError';
    const why = timedOut ? `no answer within ${timeoutMs} ms` : codeOf(error);
    return { http: undefined, error: why, unreachable: !timedOut && isConnectFailure(error), ms: elapsed() };
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > ANSWER_LIMIT_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(text: string): AnswerFields {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof json !== 'object' || json === null) return {};
  const { status, id, duplicate, message } = json as Record<string, unknown>;
  return {
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof duplicate === 'boolean' ? { duplicate } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return String(code ?? message ?? error);
}

/** A name with several addresses fails with one error for each, all in one. */
function isConnectFailure(error: unknown): boolean {
  const { errors } = (error ?? {}) as Partial<AggregateError>;
  const { syscall, code } = (errors?.[0] ?? error ?? {}) as NodeJS.ErrnoException;
  return syscall === 'connect' || syscall === 'getaddrinfo' || /^UND_ERR_CONNECT|CERT|_TLS_|SSL/.test(String(code));
}

import type { SignedRequest } from '../../protocol/signature.js';
import { distinctHeaders } from '../../receiver/distinct-headers.js';
import { originForm } from '../../receiver/request-target.js';
import { CommandError } from '../command-error.js';
import { type BodyFlags, type Input, readBody, readInput } from '../signing/read-input.js';
import { parseHeader, parseRawRequest } from './parse-raw-request.js';
import { parseVector } from './parse-vector.js';

export interface RequestFlags extends BodyFlags {
  method: string;
  target: string;
  header?: string[];
  request?: string;
  vector?: string;
}

/** The request to verify, as it came. */
export interface GivenRequest {
  request: SignedRequest;
  /** Of a vector. */
  secrets?: string[] | undefined;
  /** What had to be made of a file. */
  notes: string[];
}

/** Takes the request out of `--request`, `--vector`, or the flags for its parts. */
export async function readRequest(flags: RequestFlags, named: string | undefined, stdin: Input): Promise<GivenRequest> {
  if (flags.request !== undefined) {
    const bytes = await readInput(flags.request, '--request', stdin);
    return parsed('--request', () => parseRawRequest(bytes));
  }
  if (flags.vector !== undefined) {
    const bytes = await readInput(flags.vector, '--vector', stdin);
    return { notes: [], ...parsed('--vector', () => parseVector(bytes)) };
  }
  const pairs = parsed('--header', () => (flags.header ?? []).flatMap((line) => parseHeader(asBytes(line))));
  const body = await readBody(flags, named, stdin);
  const target = originForm(asBytes(flags.target));
  return { request: { method: flags.method, target, headers: distinctHeaders(pairs), body }, notes: [] };
}

function parsed<Value>(source: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (cause) {
    throw new CommandError(`${source}: ${(cause as Error).message}`, 2, { cause });
  }
}

/** What was typed, as the bytes that it stands for, a character for each: so requests are verified. */
function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

import type { SignedRequest } from '../../protocol/signature.js';
import { distinctHeaders } from '../../receiver/distinct-headers.js';
import { originForm } from '../../receiver/request-target.js';
import { decodeChunks } from './decode-chunks.js';

/** A request as it stood in a file; `notes` say what had to be made of it. */
export interface RawRequest {
  request: SignedRequest;
  notes: string[];
}

/**
 * Reads an HTTP/1.x request as it went over the wire: request line, headers, an empty line, the body byte for byte.
 * Lines of the head may end in a bare newline, as an editor saves them. Throws where it is no request, saying why.
 */
export function parseRawRequest(bytes: Buffer): RawRequest {
  // Latin-1 maps every byte to a character and back, as Node has it in its requests.
  const text = bytes.toString('latin1');
  const start = /^(?:\r?\n)*/.exec(text)?.[0].length ?? 0;
  const gap = /\r?\n\r?\n/g;
  gap.lastIndex = start;
  const end = gap.exec(text);
  const [requestLine = '', ...headerLines] = text.slice(start, end?.index ?? text.length).split(/\r?\n/);
  const [, method, target] =
    /^([!#$%&'*+.^_`|~\w-]+) (\/\S*|[a-z][a-z0-9+.-]*:\/\/\S+)(?: HTTP\/\d(?:\.\d)?)?$/i.exec(requestLine.trimEnd()) ??
    [];
  if (method === undefined || target === undefined) {
    throw new Error('expected a request line such as "POST /callback HTTP/1.1" in the first line');
  }
  const headers = distinctHeaders(headerLines.filter((line) => line !== '').flatMap(parseHeader));
  const rest = end ? bytes.subarray(end.index + end[0].length) : Buffer.alloc(0);
  const { body, notes } = readBody(headers, rest);
  return { request: { method, target: originForm(target), headers, body }, notes };
}

/** `Name: value` as a pair. Throws where it is none. */
export function parseHeader(line: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s.exec(line) ?? [];
  if (name !== undefined && value !== undefined && !/[\r\n]/.test(value)) return [name, value.trim()];
  // A value may be the signature.
  throw new Error('expected headers such as "Name: value", received a line that is none');
}

function readBody(headers: SignedRequest['headers'], rest: Buffer): { body: Buffer; notes: string[] } {
  if (headers['transfer-encoding']?.at(-1)?.toLowerCase().endsWith('chunked')) {
    const body = decodeChunks(rest);
    if (body) return { body, notes: [] };
    return { body: rest, notes: ['the body is not in chunks, as Transfer-Encoding says it is: it was taken as it is'] };
  }
  const length = Number(headers['content-length']?.[0] ?? Number.NaN);
  if (rest.length > length) {
    const notes = [`Content-Length is ${length}: what comes after was left out (bytes: ${rest.length - length})`];
    return { body: rest.subarray(0, length), notes };
  }
  const notes = rest.length < length ? [`Content-Length is ${length}, but no more is here than ${rest.length}`] : [];
  return { body: rest, notes };
}

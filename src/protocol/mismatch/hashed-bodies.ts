/** What a sender may have hashed instead of the body that arrived. */
export interface HashedBody {
  name: string;
  /** Completes "the digest is that of …". */
  what: string;
  bytes: Buffer;
}

const DEEPEST = 200;

const SERIALISATIONS: readonly (readonly [what: string, write: (value: unknown) => string])[] = [
  ['compact JSON', (value) => JSON.stringify(value)],
  ['JSON indented by 2 spaces', (value) => JSON.stringify(value, null, 2)],
  ['JSON indented by 4 spaces', (value) => JSON.stringify(value, null, 4)],
  ['JSON indented by tabs', (value) => JSON.stringify(value, null, '\t')],
  ['JSON on one line with spaces after colons and commas', spaced],
];

const ESCAPES: readonly (readonly [what: string, escaped: (json: string) => string])[] = [
  ['', (json) => json],
  [', characters beyond ASCII escaped', escapeBeyondAscii],
  [', slashes escaped', escapeSlashes],
  [', slashes and characters beyond ASCII escaped', (json) => escapeBeyondAscii(escapeSlashes(json))],
];

/** Other bodies with the same content as the one that arrived, the likeliest first. */
export function* hashedBodies(body: Buffer): Generator<HashedBody> {
  if (body.length > 0) yield { name: 'empty-body', what: 'an empty body', bytes: Buffer.alloc(0) };
  yield* withOtherNewlines(body);
  yield* withOtherSerialisation(body);
}

function* withOtherNewlines(body: Buffer): Generator<HashedBody> {
  // Latin-1 maps every byte to a character and back.
  const text = body.toString('latin1');
  const changes: [name: string, what: string, text: string][] = [
    ['trailing-newline', 'the body with a newline at its end', `${text}\n`],
    ['trailing-newline', 'the body with a carriage return and a newline at its end', `${text}\r\n`],
    ['trailing-newline', 'the body without the newline at its end', text.replace(/\r?\n$/, '')],
    ['trailing-newline', 'the body without the white space around it', text.trim()],
    ['line-ends', 'the body with Unix line ends', text.replaceAll('\r\n', '\n')],
    ['line-ends', 'the body with Windows line ends', text.replaceAll(/\r?\n/g, '\r\n')],
    ['line-ends', 'the body without its line ends', text.replaceAll(/[\r\n]/g, '')],
  ];
  for (const [name, what, changed] of changes) {
    if (changed !== text) yield { name, what, bytes: Buffer.from(changed, 'latin1') };
  }
}

function* withOtherSerialisation(body: Buffer): Generator<HashedBody> {
  const parsed = parse(body);
  if (!parsed) return;
  for (const [what, write] of SERIALISATIONS) {
    for (const [how, escaped] of ESCAPES) {
      const json = escaped(write(parsed.value));
      const name = 'body-serialised';
      yield { name, what: `the body written as ${what}${how}`, bytes: Buffer.from(json) };
      yield {
        name,
        what: `the body written as ${what}${how}, with a newline at its end`,
        bytes: Buffer.from(`${json}\n`),
      };
    }
  }
}

/** Undefined where it is no JSON, or nested so deep that indenting it would take the square of its size. */
function parse(body: Buffer): { value: unknown } | undefined {
  const text = body.toString('utf8');
  if (nesting(text) > DEEPEST) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** At most so many levels; brackets in strings count too. */
function nesting(text: string): number {
  let level = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    level += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, level);
  }
  return deepest;
}

/** As Python's json.dumps writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${spaced(field)}`);
  return `{${fields.join(', ')}}`;
}

function escapeBeyondAscii(json: string): string {
  return json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function escapeSlashes(json: string): string {
  return json.replaceAll('/', '\\/');
}

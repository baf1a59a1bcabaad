import { inspect } from 'node:util';
import { z } from 'zod';
import type { Handler, HandlerDefinition, Subscription } from './handler.js';

/** On every handler that {@link defineHandler} made. Registered, so that one of another copy of this module counts too. */
const HANDLER = Symbol.for('sluice.handler');
const DAY_MS = 86_400_000;
const RECEIVED_LENGTH = 80;

function expected(what: string) {
  return { error: (issue: { input?: unknown }) => `expected ${what}; received ${received(issue.input)}` };
}

function integer(min: number, max: number, unit = '') {
  return z
    .int(expected(`a whole number${unit}, ${min} to ${max}`))
    .min(min, expected(`a whole number${unit}, ${min} to ${max}`))
    .max(max, expected(`a whole number${unit}, ${min} to ${max}`))
    .optional();
}

const NAME = "1 to 64 letters, digits, '.', '_' or '-', a letter or digit first";
const KINDS = "'*' or an array of one or more kinds, none twice, each without white space or comma ('*' stands alone)";
const KIND = /^(?!\*$)[^\s,]+$/;

const fields = {
  name: z.string(expected(NAME)).regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, expected(NAME)),
  on: z.custom<Subscription>(isSubscription, expected(KINDS)),
  concurrency: integer(1, 10_000),
  attempts: integer(1, 100),
  backoffMs: integer(0, DAY_MS, ' of milliseconds'),
  timeoutMs: integer(1, DAY_MS, ' of milliseconds'),
  onExhausted: z.enum(['continue', 'park'], expected("'continue' or 'park'")).optional(),
  handle: z.custom<Handler['handle']>((value) => typeof value === 'function', expected('a function')),
};

const handlerSchema = z.strictObject(fields, {
  error: (issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown ${issue.keys.map((key) => `'${key}'`).join(', ')}; expected only ${Object.keys(fields).join(', ')}`
      : `expected an object { name, on, handle, … }; received ${received(issue.input)}`,
});

/**
 * Checks a handler and gives it the type of notification that its `on` lets through: with `on: ['ended']`,
 * `notification.data.duration` is there.
 *
 * @throws TypeError that lists every problem of the definition, what was expected against what was received.
 */
export function defineHandler<const On extends Subscription>(definition: HandlerDefinition<On>): Handler {
  const result = handlerSchema.safeParse(definition);
  if (!result.success) throw new TypeError(describe(definition, result.error.issues));
  const { data } = result;
  const handler: Handler = {
    ...data,
    on: data.on === '*' ? '*' : Object.freeze([...data.on] as const),
    // `this` stays the definition: it may be an instance of a class.
    handle: data.handle.bind(definition),
  };
  Object.defineProperty(handler, HANDLER, { value: true });
  return Object.freeze(handler);
}

/** Whether {@link defineHandler} made it, be it that of another copy of this module. */
export function isDefinedHandler(value: unknown): value is Handler {
  return typeof value === 'object' && value !== null && HANDLER in value;
}

function isSubscription(on: unknown): boolean {
  if (on === '*') return true;
  if (!Array.isArray(on) || on.length === 0 || new Set(on).size < on.length) return false;
  return on.every((kind) => typeof kind === 'string' && KIND.test(kind));
}

function describe(definition: unknown, issues: readonly z.core.$ZodIssue[]): string {
  const name =
    typeof definition === 'object' && definition !== null && 'name' in definition ? definition.name : undefined;
  const who = typeof name === 'string' ? `handler ${received(name)}` : 'handler';
  const problems = issues.map((issue) => [...issue.path, issue.message].join(': '));
  return problems.length === 1
    ? `${who}: ${problems[0]}`
    : `${who}: ${problems.length} problems\n  ${problems.join('\n  ')}`;
}

function received(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = inspect(value, {
    depth: 1,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: 10,
    maxStringLength: 64,
  });
  return text.length > RECEIVED_LENGTH ? `${text.slice(0, RECEIVED_LENGTH)}…` : text;
}

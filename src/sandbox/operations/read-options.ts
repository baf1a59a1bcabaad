import { Refusal } from './refusal.js';

/**
 * Checks the field `options`, which is reserved for future use: an array, or not there.
 *
 * @throws Refusal 400
 */
export function readOptions(body: Record<string, unknown>): void {
  if (body.options === undefined || Array.isArray(body.options)) return;
  throw new Refusal(400, 'invalid-options', 'options: expected an array');
}

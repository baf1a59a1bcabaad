/**
 * All values of each header by lower-case name, from a request's `rawHeaders`.
 *
 * The same as Node's `headersDistinct`, but on a map without a prototype: on Node before 20.20.2 a header named
 * `__proto__` makes that one throw.
 */
export function distinctHeaders(rawHeaders: readonly string[]): Record<string, string[] | undefined> {
  const headers: Record<string, string[] | undefined> = Object.create(null);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    const values = headers[name];
    if (values) values.push(value);
    else headers[name] = [value];
  }
  return headers;
}

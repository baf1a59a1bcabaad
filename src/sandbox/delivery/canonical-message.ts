/**
 * A message as text that is the same for every copy that says the same: keys sorted, and the tags, whose order may differ
 * on delivery (contract: "Stream identifiers and secrets").
 */
export function canonicalMessage(message: unknown): string {
  return JSON.stringify(message, (key, value: unknown) => {
    if (Array.isArray(value)) return key === 'tags' ? [...value].sort() : value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

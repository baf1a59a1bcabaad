/** JSON for a terminal: what it leaves alone of control characters (DEL, and those of Latin-1) is escaped as well. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

const LONGEST = 200;

/** Bytes of a request for a person's eyes: what is not printable ASCII as `\xNN`, so that no terminal obeys it. */
export function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** The same, cut to fit into a sentence. */
export function printableShort(text: string): string {
  const shown = printable(text.slice(0, LONGEST + 1));
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown;
}

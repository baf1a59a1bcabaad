/** The body that came in chunks (RFC 9112, section 7.1); undefined where these are no chunks, or not all. */
export function decodeChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\n', at);
    const line = bytes.toString('latin1', at, lineEnd === -1 ? at : lineEnd);
    const [, digits] = /^([0-9a-f]{1,8})\s*(?:;.*)?\r?$/i.exec(line) ?? [];
    if (digits === undefined) return undefined;
    const size = Number.parseInt(digits, 16);
    if (size === 0) return Buffer.concat(chunks);
    const from = lineEnd + 1;
    if (from + size > bytes.length) return undefined;
    chunks.push(bytes.subarray(from, from + size));
    at = from + size + (bytes[from + size] === 0x0d ? 2 : 1);
  }
}

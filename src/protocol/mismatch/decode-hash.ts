/** A SHA-256 hash or signature as it was written, in whatever encoding. */
export interface WrittenHash {
  bytes: Buffer;
  /** In words, where it is not the Base64 of the contract. */
  encoding: string | undefined;
}

/** Reads 32 bytes out of a text: Base64 as the contract has it, or one of the encodings that are mistaken for it. */
export function decodeHash(text: string): WrittenHash | undefined {
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return { bytes: Buffer.from(text, 'base64'), encoding: undefined };
  if (/^[0-9a-f]{64}$/i.test(text)) return { bytes: Buffer.from(text, 'hex'), encoding: 'hex' };
  if (/^[A-Za-z0-9+/]{43}$/.test(text)) {
    return { bytes: Buffer.from(text, 'base64'), encoding: 'Base64 without its padding' };
  }
  if (/^[A-Za-z0-9_-]{43}=?$/.test(text)) {
    return { bytes: Buffer.from(text, 'base64url'), encoding: 'the Base64 of URLs' };
  }
  if (/^[A-Za-z0-9+/]{86}==$/.test(text)) {
    const inner = Buffer.from(text, 'base64').toString('latin1');
    if (/^[0-9a-f]{64}$/i.test(inner))
      return { bytes: Buffer.from(inner, 'hex'), encoding: 'the Base64 of hex digits' };
  }
  const unquoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  const inside = unquoted === undefined ? undefined : decodeHash(unquoted);
  if (!inside) return undefined;
  return { bytes: inside.bytes, encoding: `${inside.encoding ?? 'Base64'} in quotes` };
}

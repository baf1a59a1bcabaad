import { readFileSync } from 'node:fs';

/** A whole request made by another implementation, and what a receiver must find. */
export interface SignatureVector {
  name: string;
  secrets: string[];
  method: string;
  target: string;
  headers: Record<string, string>;
  bodyBase64: string;
  authentic: boolean;
  /** The first check that fails. */
  why?: string;
}

export const SIGNATURE_VECTORS: readonly SignatureVector[] = JSON.parse(
  readFileSync(new URL('../fixtures/signatures.json', import.meta.url), 'utf8'),
);

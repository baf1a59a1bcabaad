import { z } from 'zod';
import type { Connection } from './call-platform.js';

/** The application in whose name operations are called, and where. Checked; only {@link createPlatformClient} makes one. */
export interface Application {
  /** Without a slash at its end, query or fragment. */
  baseUrl: URL;
  /** First segment of every path (contract: "Naming convention"). */
  brand: string;
  applicationId: string;
  secret: string | undefined;
  /** The edge token of operations that are given none. */
  token: string | undefined;
  connection: Connection;
}

/** What every operation takes beside its input. */
export interface CallOptions {
  /** Aborts the request on its way and any wait before another. */
  signal?: AbortSignal | undefined;
}

/** `{base_url}/<brand>/<segments…>`, each segment percent-encoded. */
export function operationUrl({ baseUrl, brand }: Application, ...segments: string[]): URL {
  const path = [brand, ...segments].map(encodeURIComponent).join('/');
  return new URL(`${baseUrl.href.replace(/\/+$/, '')}/${path}`);
}

/** A segment of a path: `.` and `..` would be taken for steps, and no encoding prevents it. */
export const segmentSchema = z
  .string()
  .min(1, { error: 'expected at least one character' })
  .refine((segment) => segment !== '.' && segment !== '..', { error: 'expected no `.` or `..`' });

/** An edge token, as opaque as it is to the client: it must fit a header. Left out, it is the application's. */
export function tokenSchema({ token }: Application) {
  return z
    .string({ error: 'expected an edge token, here or when the client is made' })
    .regex(/^[\x21-\x7e]+$/, { error: 'expected visible ASCII characters without blanks' })
    .prefault(token as string);
}

/** Every problem of an input, on one line each. */
export function problemsOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => (issue.path.length ? `${issue.path.join('.')}: ${issue.message}` : issue.message));
}

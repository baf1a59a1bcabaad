import { z } from 'zod';
import type { SuccessReader } from './read-answer.js';

/** A stream that the platform has set up (contract: "Publish a URI", "Restream to an external endpoint"). */
export interface IngestedStream {
  /** Identifier of the ingest stream. */
  streamId: string;
  /** For further operations on the stream: a secret. */
  sharedSecret: string;
  /** Reserved by the contract; empty today. */
  options: unknown[];
}

const answerSchema = z.object({
  streamId: z.string().min(1),
  sharedSecret: z.string(),
  options: z.array(z.unknown()).default([]),
});

/** Reads the answer that publishing and restreaming share. */
export const readIngestedStream: SuccessReader<IngestedStream> = ({ json }) => {
  const answer = answerSchema.safeParse(json);
  return answer.success ? { result: answer.data } : { problem: 'is not JSON with a streamId and a sharedSecret' };
};

import type { Job } from 'bullmq';

/** One attempt that did not go smoothly, or came after one that did not; kept with the delivery. */
export interface AttemptRecord {
  attempt: number;
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
  outcome: 'success' | 'timeout' | 'error';
  error?: string;
  replayed: boolean;
}

/** The newest are kept. */
const RECORDS_KEPT = 50;

/** Adds a record to a delivery's history, in the job's own log: it goes with the job. */
export async function recordAttempt(job: Job, record: AttemptRecord): Promise<void> {
  await job.log(JSON.stringify(record));
}

export const attemptLogOptions = { keepLogs: RECORDS_KEPT };

/** The history of a delivery, oldest first. */
export function parseAttempts(rows: readonly string[]): AttemptRecord[] {
  return rows.map((row) => JSON.parse(row) as AttemptRecord);
}

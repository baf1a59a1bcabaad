/**
 * How an attempt ended. `retry` and `timeout`: it will be tried again. `failed`: it was the last. `interrupted`: the process
 * stops, or its lock was lost. `superseded`: a newer run of its lane had taken over.
 */
export type AttemptOutcome = 'success' | 'retry' | 'timeout' | 'failed' | 'interrupted' | 'superseded';

/** Told what happens in the pipeline; metrics are one. Must not throw. */
export interface PipelineObserver {
  accepted(event: { kind: string; duplicate: boolean }): void;
  /** `heldMs`: from receipt to release. */
  released(event: { kind: string; heldMs: number }): void;
  attempted(event: {
    handler: string;
    outcome: AttemptOutcome;
    durationMs: number;
    late: boolean;
    replayed: boolean;
  }): void;
  redisUp(up: boolean): void;
}

import type { Callback } from '../protocol/callback-endpoint.js';
import type { EdgeTokenOptions } from '../protocol/edge-token.js';
import type { Attempt, Delivery } from './delivery/delivery.js';
import type { PreparedAnswer } from './http/prepared-answers.js';
import type { Report } from './report/report.js';
import type { SettingsOptions } from './settings.js';
import type { StreamRequest, StreamView } from './streams/stream.js';

export interface SandboxOptions extends SettingsOptions {
  /** Handlers that the report lists even if they record nothing. */
  expectedHandlers?: readonly string[] | undefined;
  /** Told of every request to the endpoint, when it was answered. */
  onAttempt?: ((delivery: Delivery, attempt: Attempt) => void) | undefined;
}

/** What a token shall say; the application is the sandbox's. */
export type TokenRequest = Omit<EdgeTokenOptions, 'applicationId' | 'secret' | 'expires'> & {
  /** From now; less than 0 makes one that has expired. Default an hour. */
  expiresInMs?: number | undefined;
};

/** What a sandbox is set to, as `GET /sandbox` shows it. */
interface SandboxInfo {
  applicationId: string;
  baseUrl: string;
  /** As registered; null before. */
  endpoint: string | null;
  /** Part of every identifier. */
  run: string;
  seed: number;
  speed: number;
  faults: string;
}

/** The platform, locally. */
export interface Sandbox {
  /** `http://127.0.0.1:4000`: the `{base_url}` of the contract. */
  readonly baseUrl: string;
  readonly applicationId: string;
  readonly secret: string;
  info(): SandboxInfo;
  /** Registers the endpoint, as the operation would; gives the endpoint string. */
  register(callback: Callback): string;
  /** Makes an edge token of the sandbox's application. */
  createToken(request?: TokenRequest): string;
  /** Publishes a stream, as the operation would. */
  publish(request?: StreamRequest): StreamView;
  /** @throws Refusal where there is no such stream, or it has ended */
  endStream(streamId: string, reason?: string): StreamView;
  /** Sends a notification of any kind for a stream, beside those of its life. */
  emit(streamId: string, what: string, data?: Record<string, unknown>): void;
  /** Oldest first. */
  streams(): StreamView[];
  /** Every notification and what became of it, oldest first. */
  deliveries(): readonly Delivery[];
  /** Resolves when no notification is pending or scheduled. A stream without a duration that is not ended schedules none. */
  settled(): Promise<void>;
  /** Prepares the next answer of an operation, or of any. */
  answerNext(answer: PreparedAnswer): PreparedAnswer;
  preparedAnswers(): PreparedAnswer[];
  clearAnswers(): void;
  /** Takes one record, or an array of them, of what a handler on the receiver's side handled; gives their number. */
  record(records: unknown): number;
  /**
   * Resolves when every handler that records has handled all that the receiver accepted, or when no record came for
   * `quietMs` real ms (default 15,000).
   */
  handled(quietMs?: number): Promise<void>;
  report(): Report;
  /** Stops everything, what is on its way too. */
  close(): Promise<void>;
}

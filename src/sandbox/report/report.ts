import { createHash } from 'node:crypto';
import type { Answer, AttemptKind, Delivery, DeliveryState } from '../delivery/delivery.js';
import { type Faults, formatFaults } from '../delivery/faults.js';
import type { Stream } from '../streams/stream.js';
import { type HandlingReport, reportHandling } from './handling-report.js';
import type { MatchedRecord } from './recorder.js';

/** What happened in a run. */
export interface Report {
  /** Part of every identifier. */
  run: string;
  seed: number;
  speed: number;
  /** As `--faults` takes them. */
  faults: string;
  streams: { published: number; ended: number };
  notifications: {
    /** Sent at least once. */
    sent: number;
    acknowledged: number;
    /** Sent more than once: after no acknowledgement, or in spite of one. */
    repeated: number;
    /** Given up after the last repeat. */
    dropped: number;
    /** Answered in a way that is not repeated: gone. */
    refused: number;
    /** Without an endpoint to send them to. */
    unsent: number;
    pending: number;
  };
  requests: {
    total: number;
    repeats: number;
    /** Sent again although they were acknowledged. */
    extra: number;
    /** Acknowledgements that got lost. */
    lostAcks: number;
    heldBack: number;
    /** Copies whose signature does not hold, and how many of them the receiver took. */
    forged: number;
    forgedAccepted: number;
    /** By HTTP code, or by the reason why there was none. */
    answers: Record<string, number>;
  };
  /** One for each handler that recorded what it handled. */
  handlers: HandlingReport[];
  /** The same for two runs in which the same was sent, with the same faults, and answered alike. */
  fingerprint: string;
  /** What a receiver must not do, in words; empty where it did nothing of it. */
  problems: string[];
}

export interface ReportSources {
  run: string;
  seed: number;
  speed: number;
  faults: Faults;
  streams: readonly Stream[];
  deliveries: readonly Delivery[];
  records: readonly MatchedRecord[];
  expectedHandlers: readonly string[];
}

export function createReport(sources: ReportSources): Report {
  const { run, seed, speed, faults, streams, deliveries, records } = sources;
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  const inState = (state: DeliveryState) => deliveries.filter((delivery) => delivery.state === state).length;
  const ofKind = (kind: AttemptKind) => attempts.filter((attempt) => attempt.kind === kind);
  const handlers = reportHandling(deliveries, records, sources.expectedHandlers);
  const forged = ofKind('forged');
  const forgedAccepted = forged.filter(({ answer }) => 'http' in answer && answer.http < 300).length;
  return {
    run,
    seed,
    speed,
    faults: formatFaults(faults),
    streams: { published: streams.length, ended: streams.filter((stream) => stream.end).length },
    notifications: {
      sent: deliveries.filter((delivery) => delivery.attempts.length > 0).length,
      acknowledged: inState('acknowledged'),
      repeated: deliveries.filter((delivery) => delivery.attempts.some(isRepeat)).length,
      dropped: inState('dropped'),
      refused: inState('refused'),
      unsent: inState('unsent'),
      pending: inState('pending'),
    },
    requests: {
      total: attempts.length,
      repeats: ofKind('repeat').length,
      extra: ofKind('extra').length,
      lostAcks: attempts.filter((attempt) => attempt.faults.includes('lost-ack')).length,
      heldBack: deliveries.filter((delivery) => delivery.heldBackMs > 0).length,
      forged: forged.length,
      forgedAccepted,
      answers: countAnswers(attempts.map((attempt) => attempt.answer)),
    },
    handlers,
    fingerprint: fingerprint(deliveries),
    problems: [
      ...(forgedAccepted > 0 ? [`${forgedAccepted} requests were accepted whose signature does not hold`] : []),
      ...handlers.flatMap(problemsOf),
    ],
  };
}

function isRepeat({ kind }: { kind: AttemptKind }): boolean {
  return kind === 'repeat' || kind === 'extra';
}

function describeAnswer(answer: Answer): string {
  return 'http' in answer ? String(answer.http) : answer.noAnswer;
}

function countAnswers(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of answers.map(describeAnswer)) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function problemsOf(report: HandlingReport): string[] {
  const found: [number, string][] = [
    [report.lost, 'lost'],
    [report.handledTwice, 'handled twice'],
    [report.outOfOrderUnflagged, 'handled out of order without being flagged'],
    [report.altered, 'handled in another form than they were sent'],
  ];
  return found.filter(([count]) => count > 0).map(([count, what]) => `${report.handler}: ${count} ${what}`);
}

/** In the order of streams and names, not of time, and without times and identifiers: these differ between any two runs. */
function fingerprint(deliveries: readonly Delivery[]): string {
  const lines = deliveries.map(({ streamNumber, name, message, heldBackMs, state, attempts }) => {
    const { tags, reason } = message.data;
    const tries = attempts.map(({ kind, number, faults, answer }) => [kind, number, faults, describeAnswer(answer)]);
    return JSON.stringify([streamNumber, name, tags, reason, heldBackMs, state, tries]);
  });
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex').slice(0, 16);
}

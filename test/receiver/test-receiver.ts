import { pino } from 'pino';
import { createReceiver, type Receiver, type ReceiverOptions } from '../../src/receiver/create-receiver.js';
import type { Acceptance, Intake, InvalidNotification, VerifiedNotification } from '../../src/receiver/intake.js';
import type { AnsweredRequest, RejectionReason } from '../../src/receiver/observer.js';

/** An intake in memory: a repeat is a body that was there before. */
export interface MemoryIntake extends Intake {
  accepted: VerifiedNotification[];
  invalid: InvalidNotification[];
}

export function createMemoryIntake(): MemoryIntake {
  const ids = new Map<string, string>();
  const accepted: VerifiedNotification[] = [];
  const invalid: InvalidNotification[] = [];
  return {
    accepted,
    invalid,
    accept: async (notification): Promise<Acceptance> => {
      const key = notification.body.toString('base64');
      const first = ids.get(key);
      if (first) return { id: first, duplicate: true };
      const id = `id-${ids.size + 1}`;
      ids.set(key, id);
      accepted.push(notification);
      return { id, duplicate: false };
    },
    keepInvalid: async (kept) => {
      invalid.push(kept);
      return { id: `invalid-${invalid.length}` };
    },
  };
}

/** An intake in memory that keeps the first notification waiting until it is told to proceed. */
export function createPausedIntake(): { intake: MemoryIntake; arrived: Promise<void>; proceed(): void } {
  const memory = createMemoryIntake();
  let proceed: () => void = () => {};
  let arrive: () => void = () => {};
  const paused = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const accept: Intake['accept'] = async (notification) => {
    arrive();
    await paused;
    return memory.accept(notification);
  };
  return { intake: { ...memory, accept }, arrived, proceed: () => proceed() };
}

/** A receiver that listens, with everything it told. */
export interface TestReceiver {
  receiver: Receiver;
  port: number;
  /** Log lines, parsed. */
  lines: Record<string, unknown>[];
  /** The log as it was written. */
  written(): string;
  answered: AnsweredRequest[];
  rejected: RejectionReason[];
}

export async function startReceiver(options: Partial<ReceiverOptions> & { intake: Intake }): Promise<TestReceiver> {
  const lines: Record<string, unknown>[] = [];
  const answered: AnsweredRequest[] = [];
  const rejected: RejectionReason[] = [];
  let written = '';
  const log = pino(
    { level: 'debug', base: null },
    {
      write: (line: string) => {
        written += line;
        lines.push(JSON.parse(line));
      },
    },
  );
  const receiver = createReceiver({
    log,
    secrets: () => ['application-secret'],
    observer: { answered: (request) => void answered.push(request), rejected: (reason) => void rejected.push(reason) },
    ...options,
  });
  const { port } = await receiver.listen(0, '127.0.0.1');
  return { receiver, port, lines, written: () => written, answered, rejected };
}

import type { IncomingMessage } from 'node:http';
import { readNotification } from '../protocol/read-notification.js';
import { type Check, type Verification, type VerifiedBody, verifyNotification } from '../protocol/signature.js';
import { distinctHeaders } from './distinct-headers.js';
import type { InvalidNotification, VerifiedNotification } from './intake.js';
import type { OverloadGuard } from './overload-guard.js';
import { readBody, type Unread } from './read-body.js';

/** What a request is verified against. */
export interface Authentication {
  /** The secrets as they are now, newest first. Where it throws or gives none, requests are answered 503. */
  secrets: () => readonly string[];
  /** The maker's brand in header names. */
  brand: string;
  /** How old the signed timestamp may be, seconds; 0: not checked. */
  toleranceS: number;
  /** What a proxy in front strips from the path: put back before verifying. */
  publicBasePath: string;
}

/** Where verified requests go. The promises resolve once they are safe; a rejection asks the platform to come again. */
export interface Destination {
  accept(notification: VerifiedNotification, request: IncomingMessage): Promise<{ id?: string; duplicate: boolean }>;
  keepInvalid(invalid: InvalidNotification, request: IncomingMessage): Promise<unknown>;
}

export interface ReceiveOptions {
  authentication: Authentication;
  bodyLimitBytes: number;
  guard: OverloadGuard;
  destination: Destination;
}

interface Routing {
  kind: string;
  stream: string | undefined;
  /** Departures from the contract; see {@link readNotification}. */
  deviations: string[];
}

/** What became of a callback, before it is put into HTTP. */
export type Received = { bytes: number } & (
  | HandedOver
  | { outcome: 'unauthorized'; reason: Check; detail: string }
  | { outcome: 'unread'; why: Unread }
  | { outcome: 'overloaded' }
);

type HandedOver =
  | ({ outcome: 'accepted' | 'duplicate'; id: string | undefined } & Routing)
  | { outcome: 'invalid'; problem: string }
  | ({ outcome: 'unavailable'; error: unknown } & Partial<Routing>);

/**
 * A callback from its raw body to its destination: read, verify, parse, hand over (contract: "Notification delivery",
 * "Notification authentication"). Nothing of the body is looked at before it is verified. Never rejects.
 *
 * @param target path and query, byte for byte as they came
 */
export async function receiveNotification(
  request: IncomingMessage,
  target: string,
  options: ReceiveOptions,
): Promise<Received> {
  const receivedAt = Date.now();
  const { guard } = options;
  if (guard.isFull()) return { outcome: 'overloaded', bytes: 0 };
  const read = await readBody(request, options.bodyLimitBytes, guard);
  const { bytes } = read;
  try {
    if (!read.read) return { outcome: 'unread', why: read.why, bytes };
    const verification = verify(request, target, read.body, options.authentication);
    if (!verification.authentic) {
      return { outcome: 'unauthorized', reason: verification.failed, detail: verification.detail, bytes };
    }
    if (!guard.enter()) return { outcome: 'overloaded', bytes };
    try {
      return { ...(await handOver(verification.body, receivedAt, request, options.destination)), bytes };
    } finally {
      guard.leave();
    }
  } catch (error) {
    return { outcome: 'unavailable', error, bytes };
  } finally {
    guard.release(bytes);
  }
}

function verify(request: IncomingMessage, target: string, body: Buffer, authentication: Authentication): Verification {
  const secrets = authentication.secrets();
  if (secrets.length === 0 || secrets.includes('')) {
    throw new Error('there is no secret to verify with: expected one or more that are not empty');
  }
  return verifyNotification(
    {
      method: request.method ?? '',
      target: authentication.publicBasePath + target,
      headers: distinctHeaders(request.rawHeaders),
      body,
    },
    { secrets, brand: authentication.brand, toleranceS: authentication.toleranceS },
  );
}

async function handOver(
  body: VerifiedBody,
  receivedAt: number,
  request: IncomingMessage,
  destination: Destination,
): Promise<HandedOver> {
  const result = readNotification(body);
  if (!result.valid) {
    await destination.keepInvalid({ body, problem: result.problem, receivedAt }, request);
    return { outcome: 'invalid', problem: result.problem };
  }
  const { notification, deviations } = result;
  const routing = { kind: notification.what, stream: streamOf(notification.data), deviations };
  try {
    const { id, duplicate } = await destination.accept({ notification, body, receivedAt }, request);
    return { outcome: duplicate ? 'duplicate' : 'accepted', id, ...routing };
  } catch (error) {
    return { outcome: 'unavailable', error, ...routing };
  }
}

/** Of an unknown kind nothing but `what` is sure. */
function streamOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('streamId' in data)) return undefined;
  return typeof data.streamId === 'string' ? data.streamId : undefined;
}

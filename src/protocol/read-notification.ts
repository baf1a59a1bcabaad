import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { isKnownKind, type Notification, notificationSchema, unknownNotificationSchema } from './notification.js';

/** What a body turned out to be. `deviations` are departures from the contract that do not stop a delivery. */
export type ReadResult =
  | { valid: true; notification: Notification; deviations: string[] }
  | { valid: false; problem: string };

/** The least that can be routed: a kind, and for the known kinds the stream. */
const routableSchema = z.looseObject({
  what: z.string({ error: 'what: expected a non-empty string' }).min(1, { error: 'what: expected a non-empty string' }),
});
const routableStreamSchema = z.looseObject({
  data: z.looseObject(
    {
      streamId: z
        .string({ error: 'data.streamId: expected a non-empty string' })
        .min(1, { error: 'data.streamId: expected a non-empty string' }),
    },
    { error: 'data: expected an object' },
  ),
});

/**
 * Reads a notification out of a request's body (contract: "Notification message", "Events" rules 4 and 5).
 *
 * A message is valid when it can be routed: a JSON object in UTF-8 with a `what`, and with `data.streamId` if the kind is
 * one of the contract's. Everything else the contract says of it is checked, but a departure is only reported: refusing
 * it would lose an event that the platform does not send again. The object comes back as it was sent, unknown fields too.
 */
export function readNotification(body: Buffer): ReadResult {
  const json = parseJson(body);
  if ('problem' in json) return { valid: false, problem: json.problem };
  const routable = routableSchema.safeParse(json.value);
  if (!routable.success) return { valid: false, problem: firstProblem(routable.error, 'expected a JSON object') };
  const known = isKnownKind(routable.data.what);
  if (known) {
    const stream = routableStreamSchema.safeParse(json.value);
    if (!stream.success) return { valid: false, problem: firstProblem(stream.error, 'data: expected an object') };
  }
  const contract = (known ? notificationSchema : unknownNotificationSchema).safeParse(json.value);
  return {
    valid: true,
    notification: json.value as Notification,
    deviations: contract.success
      ? []
      : contract.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  };
}

function parseJson(body: Buffer): { value: unknown } | { problem: string } {
  if (body.length === 0) return { problem: 'the body is empty' };
  if (!isUtf8(body)) return { problem: 'the body is not UTF-8' };
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch (error) {
    // V8 quotes a piece of the body in its message; the body's content stays out of logs and answers.
    const position = /at position \d+/.exec(String(error))?.[0];
    return { problem: position ? `the body is not JSON (${position})` : 'the body is not JSON' };
  }
}

function firstProblem(error: z.ZodError, otherwise: string): string {
  const issue = error.issues[0];
  return issue && issue.path.length > 0 ? issue.message : otherwise;
}

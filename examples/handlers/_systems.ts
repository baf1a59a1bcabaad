import { type HandlerContext, type Notification, PermanentError } from 'sluice';

/**
 * Hands a notification to one of your own systems: POST `SYSTEMS_URL/<system>`, with the id to be idempotent by.
 * 422 means that the system will never take it, so it is not tried again; any other failure is.
 */
export async function handOver(system: string, notification: Notification, context: HandlerContext): Promise<void> {
  const response = await fetch(new URL(system, process.env.SYSTEMS_URL), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': context.id },
    body: JSON.stringify(notification),
    signal: context.signal,
  });
  if (response.ok) return;
  const answer = `the ${system} answered ${response.status}: ${await response.text()}`;
  throw response.status === 422 ? new PermanentError(answer) : new Error(answer);
}

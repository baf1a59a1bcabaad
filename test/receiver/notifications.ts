/** A notification as the platform sends it; every number is a message of its own. */
export function startedBody(number = 1): string {
  return JSON.stringify({
    apiVersion: 0,
    entity: 'stream',
    what: 'started',
    data: { streamId: `us-east#${number}.stream`, tags: ['a', 'b'] },
    sessionId: `session-${number}`,
    timestamp: '2026-09-21T14:13:20.000Z',
  });
}

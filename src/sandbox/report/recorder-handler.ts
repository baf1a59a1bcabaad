/**
 * A handler that tells the sandbox what it handled, as the text of a module for Sluice's `HANDLERS` folder: its report can
 * then say what was lost, handled twice or out of order.
 *
 * @param url where the sandbox is
 */
export function recorderHandlerSource(url: string, handler = 'recorder'): string {
  return `import { defineHandler } from 'sluice';

const recorder = new URL('/sandbox/recorder', process.env.SANDBOX_URL ?? ${JSON.stringify(url)});

export default defineHandler({
  name: ${JSON.stringify(handler)},
  on: '*',
  async handle(notification, { id, late, replayed, signal }) {
    const answer = await fetch(recorder, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ handler: ${JSON.stringify(handler)}, on: '*', id, late, replayed, notification }),
      signal,
    });
    if (!answer.ok) throw new Error(\`the sandbox answered \${answer.status} \${await answer.text()}\`);
  },
});
`;
}

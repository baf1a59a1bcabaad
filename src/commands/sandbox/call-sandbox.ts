import { SERVER_NAME } from '../../sandbox/http/http-app.js';
import { CommandError } from '../command-error.js';

/**
 * Calls the control API of a sandbox that runs, and gives the JSON of its answer.
 *
 * @throws CommandError where none answers, or where it refuses
 */
export async function callSandbox(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  if (!URL.canParse(path, url)) throw new CommandError(`--sandbox: expected http://…; received "${url}"`, 2);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(new URL(path, url), { method, body: body === undefined ? null : JSON.stringify(body) });
    text = await answer.text();
  } catch (cause) {
    throw new CommandError(`no sandbox answers at ${url}: "sluice sandbox" starts one`, 1, { cause });
  }
  if (answer.headers.get('Server') !== SERVER_NAME) {
    throw new CommandError(`what answers at ${url} is no sandbox: HTTP ${answer.status}`);
  }
  const json: unknown = JSON.parse(text);
  if (answer.ok) return json;
  throw new CommandError(`the sandbox answered ${answer.status}: ${(json as { message: string }).message}`);
}

import { request } from 'undici';

/** An answer of a listener. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** GETs a path of a listener on this machine. */
export async function get(port: number, path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  // A connection of its own: none is kept that would hold up a listener's end.
  const answer = await request(`http://127.0.0.1:${port}${path}`, { headers, reset: true });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}

/** The samples of a Prometheus page, by name and labels as they stand there. */
export async function readMetrics(
  adminPort: number,
  headers: Record<string, string> = {},
): Promise<Map<string, number>> {
  const { body } = await get(adminPort, '/metrics', headers);
  const samples = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

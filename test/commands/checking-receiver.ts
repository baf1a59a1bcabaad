import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signIndependently } from '../protocol/independent-signature.js';
import { SECRET } from './signing-program.js';

/** A request as it came, and whether an independent HMAC finds it authentic. */
export interface CheckedRequest {
  method: string;
  target: string;
  headers: NodeJS.Dict<string>;
  message: { what: string; data: Record<string, unknown>; timestamp: string; [field: string]: unknown };
  authentic: boolean;
}

export interface Reply {
  http: number;
  body: string;
}

export interface ReceiverOptions {
  secret?: string;
  brand?: string;
  /** Answers nothing before so many requests are under way at a time; default 1. */
  together?: number;
  /** Put back before what is verified. */
  basePath?: string;
  /** `index` counts from 0; undefined: no answer, ever. Default: 200 and an id, or 401. */
  reply?: (request: CheckedRequest, index: number) => Reply | undefined;
}

/** A receiver over real HTTP that shares nothing with the code under test. Close it after use. */
export async function startCheckingReceiver(options: ReceiverOptions = {}) {
  const requests: CheckedRequest[] = [];
  let underWay = 0;
  let most = 0;
  let gather = () => {};
  const gathered = new Promise<void>((resolve) => {
    gather = resolve;
  });
  const server = createServer(async (incoming, outgoing) => {
    underWay++;
    most = Math.max(most, underWay);
    if (underWay >= (options.together ?? 1)) gather();
    const request = await check(incoming, options);
    await gathered;
    const index = requests.push(request) - 1;
    const reply = (options.reply ?? defaultReply)(request, index);
    underWay--;
    if (reply) outgoing.writeHead(reply.http, { 'Content-Type': 'application/json' }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** How many requests were under way at a time, at most. */
    most: () => most,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function defaultReply({ authentic }: CheckedRequest, index: number): Reply {
  return authentic
    ? { http: 200, body: JSON.stringify({ status: 'ok', id: `id-${index + 1}` }) }
    : { http: 401, body: '{"status":"unauthorized"}' };
}

async function check(incoming: IncomingMessage, options: ReceiverOptions): Promise<CheckedRequest> {
  const { secret = SECRET, brand = 'Svc', basePath = '' } = options;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { method = '', url: target = '' } = incoming;
  const headers = incoming.headers as NodeJS.Dict<string>;
  const expected = signIndependently({
    secret,
    brand,
    method,
    target: basePath + target,
    body,
    contentType: headers['content-type'] ?? '',
    timestamp: headers[`x-${brand.toLowerCase()}-timestamp`] ?? '',
  });
  const authentic = Object.entries(expected.headers).every(([name, value]) => headers[name.toLowerCase()] === value);
  return { method, target, headers, message: JSON.parse(body.toString()), authentic };
}

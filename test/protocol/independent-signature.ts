import { createHash, createHmac } from 'node:crypto';

/** A request as it goes over the wire; targets and header values are Latin-1. */
export interface WireRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Signs a request by the words of the contract, byte by byte, sharing nothing with the code under test.
 * Contract: "Notification authentication".
 */
export function signIndependently(request: {
  secret?: string;
  method?: string;
  target?: string;
  body: string | Buffer;
  contentType?: string;
  timestamp?: string;
  brand?: string;
}): WireRequest {
  const { secret = 'application-secret', method = 'POST', target = '/callback', brand = 'Svc' } = request;
  const { contentType = 'application/json', timestamp = String(Math.floor(Date.now() / 1000)) } = request;
  const body = Buffer.from(request.body as string);
  const digest = Buffer.from(createHash('sha256').update(body).digest('hex'), 'hex').toString('base64');
  const parts = [method, target, digest, contentType, timestamp].map((part) => Buffer.from(part, 'latin1'));
  const key = Buffer.from(secret, 'utf8');
  const signature = Buffer.from(createHmac('sha256', key).update(Buffer.concat(parts)).digest('hex'), 'hex');
  return {
    method,
    target,
    headers: {
      Authorization: `HMAC-SHA256 ${signature.toString('base64')}`,
      'Content-Type': contentType,
      [`X-${brand}-Content-Sha256`]: digest,
      [`X-${brand}-Timestamp`]: timestamp,
    },
    body,
  };
}

/** The request as HTTP/1.1, with whatever headers a test wants beside its own. */
export function toWire(
  request: WireRequest,
  more: readonly string[] = [`Content-Length: ${request.body.length}`],
): Buffer {
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
    ...more,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), request.body]);
}

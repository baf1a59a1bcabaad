import type { Variation } from './find-signing.js';

/** What the sender may have taken for the secret. Nothing of any secret is in the causes. */
export function* varySecret(secret: string, all: readonly string[]): Generator<Variation> {
  const key = (text: string | Buffer, finding: string, remedy: string): Variation => ({
    set: { secret: Buffer.from(text as string) },
    cause: { name: 'secret', finding, remedy },
  });
  const clean = "take it out of the sender's configuration (editors and echo put a newline at the end of a file)";
  yield key(`${secret}\n`, "the sender's secret has a newline at its end", clean);
  yield key(`${secret}\r\n`, "the sender's secret has a carriage return and a newline at its end", clean);
  yield key(`${secret}\r`, "the sender's secret has a carriage return at its end", clean);
  yield key(`${secret} `, "the sender's secret has a space at its end", clean);
  yield key(` ${secret}`, "the sender's secret has a space before it", clean);
  yield key(
    secret.trim(),
    "the secret here has white space around it that the sender's has not",
    'take it out of APPLICATION_SECRET',
  );
  yield key(`"${secret}"`, "the sender's secret has quotes around it", "take them out of the sender's configuration");
  yield key(`'${secret}'`, "the sender's secret has quotes around it", "take them out of the sender's configuration");
  yield key(
    secret.replace(/^(["'])(.*)\1$/s, '$2'),
    "the secret here has quotes around it that the sender's has not",
    'take them out of APPLICATION_SECRET',
  );
  const asText = 'have the sender take the text of the secret as the key';
  if (/^(?:[0-9a-f]{2})+$/i.test(secret)) {
    yield key(Buffer.from(secret, 'hex'), 'the sender decoded the secret from hex', asText);
  }
  if (/^[\w+/-]{2,}={0,2}$/.test(secret)) {
    yield key(Buffer.from(secret, 'base64'), 'the sender decoded the secret from Base64', asText);
  }
  yield key(Buffer.from(secret).toString('base64'), 'the sender encoded the secret in Base64', asText);
  yield key(Buffer.from(secret).toString('hex'), 'the sender encoded the secret in hex', asText);
  yield key('', "the sender's secret is empty", "set the secret in the sender's configuration");
  if (all.length > 1) {
    for (const separator of [',', ', ']) {
      const finding = 'the sender took the whole list of secrets for one';
      yield key(all.join(separator), finding, 'have the sender sign with one of them');
    }
  }
}

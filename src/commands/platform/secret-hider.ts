/** Blots out secrets, as they are and as a URL or a Basic header has them. */
export function secretHider(secrets: readonly (string | undefined)[]): (text: string) => string {
  const hidden = secrets
    .flatMap((secret) =>
      secret ? [secret, encodeURIComponent(secret), Buffer.from(secret, 'utf8').toString('base64')] : [],
    )
    // The longer first: a secret may be part of another.
    .sort((one, other) => other.length - one.length);
  return (text) => hidden.reduce((visible, secret) => visible.replaceAll(secret, '[hidden]'), text);
}

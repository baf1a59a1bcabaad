import type { SignedRequest } from '../signature.js';
import type { Variation } from './find-signing.js';
import { printableShort } from './printable.js';
import { type Signing, splitTarget, targetOf } from './signing.js';

/** Whoever sends hundreds of such headers sends them to keep this busy. */
const MOST_HOSTS = 4;

/** What else than its path a target may have been: query, encoding, a whole URL. */
export function* varyTarget(base: Signing, headers: SignedRequest['headers']): Generator<Variation> {
  yield* varyQuery(base);
  yield* varyEncoding(base);
  for (const origin of origins(headers)) {
    yield {
      set: { origin },
      cause: {
        name: 'full-url',
        finding: `the sender signed the URL ${printableShort(origin + targetOf(base))}, not path and query alone`,
        remedy: 'have the sender sign path and query alone',
      },
    };
  }
  yield {
    set: { path: '', trailing: '', query: '' },
    cause: {
      name: 'target-left-out',
      finding: 'the sender left path and query out of what it signed',
      remedy: 'have the sender put them after the method',
    },
  };
}

function* varyQuery({ query }: Signing): Generator<Variation> {
  const pairs = query.slice(1).split('&');
  if (query === '') {
    yield queryVariation('?', 'query-mark', 'a "?" after the path', 'have the sender sign the target as it sends it');
    return;
  }
  const asSent = 'have the sender sign the query as it sends it, and let nothing on the way rewrite it';
  yield queryVariation('', 'query-left-out', 'the target without its query', 'have the sender sign path and query');
  const written = (change: (pair: string) => string) => `?${pairs.map(change).join('&')}`;
  const withSigns = written((pair) => (pair.includes('=') ? pair : `${pair}=`));
  const withoutSigns = written((pair) => pair.replace(/=$/, ''));
  yield queryVariation(withSigns, 'query-rewritten', 'the query with "=" after each name', asSent);
  yield queryVariation(withoutSigns, 'query-rewritten', 'the query without "=" after names that have no value', asSent);
  yield queryVariation(`?${[...pairs].sort().join('&')}`, 'query-rewritten', 'the query in alphabetical order', asSent);
  yield queryVariation(query.slice(1), 'query-mark', 'the query without its "?"', asSent);
}

function queryVariation(query: string, name: string, what: string, remedy: string): Variation {
  return { set: { query }, cause: { name, finding: `the sender signed ${what}`, remedy } };
}

function* varyEncoding(base: Signing): Generator<Variation> {
  const remedy = 'have the sender sign the target as it sends it, and let nothing on the way rewrite it';
  const encoded = (what: string, set: Partial<Signing>): Variation => ({
    set,
    cause: { name: 'target-encoding', finding: `the sender signed ${what}`, remedy },
  });
  const { path, query } = base;
  const both = (change: (text: string) => string) => ({ path: change(path), query: change(query) });
  yield encoded('the target percent-decoded', both(decode));
  yield encoded('the path percent-decoded', { path: decode(path) });
  yield encoded('the query percent-decoded', { query: decode(query) });
  yield encoded(
    'the target percent-decoded, with "+" for spaces',
    both((text) => decode(text.replaceAll('+', ' '))),
  );
  yield encoded(
    'the target percent-encoded',
    both((text) => encode(text, /[^!-~]|["<>\\^`{|}]/g)),
  );
  yield encoded(
    'the target with spaces as "+"',
    both((text) => text.replaceAll('%20', '+')),
  );
  yield encoded(
    'the target with spaces as "%20"',
    both((text) => text.replaceAll('+', '%20')),
  );
  yield encoded(
    'the target with its percent signs encoded again',
    both((text) => text.replaceAll('%', '%25')),
  );
  yield encoded(
    'the target with lower-case percent-encoding',
    both((text) => text.replaceAll(/%../g, (hex) => hex.toLowerCase())),
  );
  yield encoded(
    'the target with upper-case percent-encoding',
    both((text) => text.replaceAll(/%../g, (hex) => hex.toUpperCase())),
  );
  const component = encode(targetOf(base), /[^\w.!~*'()-]/g);
  yield encoded('the target percent-encoded as one value', { ...splitTarget(component) });
}

/** Each byte that is written as `%NN`; what is no such encoding stays. */
function decode(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function encode(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** The beginnings of the URL that the sender may have called. */
function* origins(headers: SignedRequest['headers']): Generator<string> {
  const hosts = [...(headers['x-forwarded-host'] ?? []), ...(headers.host ?? [])].slice(0, MOST_HOSTS);
  for (const host of new Set(hosts.flatMap((name) => [name, name.replace(/:\d+$/, '')]))) {
    yield `https://${host}`;
    yield `http://${host}`;
    yield host;
  }
}

import { describe, expect, it } from '@jest/globals';
import type { EdgeTokenOptions } from '../../src/protocol/edge-token.js';
import { releasers } from '../sandbox/releasers.js';
import { CLAIMS, errorOf, openBoth, STARTS_AT } from './open-both.js';

const releasing = releasers();
const open = async (...options: Parameters<typeof openBoth>) => releasing(await openBoth(...options));

const WITH_TOKEN = ['publish', 'replay', 'restream'] as const;
type WithToken = (typeof WITH_TOKEN)[number];

/** What became of an operation with a token that has these claims instead of those that will do. */
async function attempt(operation: WithToken, claims: Partial<EdgeTokenOptions>) {
  const { sandbox, operations, clock } = await open();
  sandbox.publish();
  await clock.advance(10_000);
  return operations[operation](claims);
}

async function expectRefusal(operation: WithToken, claims: Partial<EdgeTokenOptions>, why: RegExp): Promise<void> {
  const error = errorOf(await attempt(operation, claims));
  expect(error).toMatchObject({ http: 401, status: 'unauthorized', retry: 'never', attempts: 1 });
  expect(error.answer).toMatchObject({ message: expect.stringMatching(why) });
}

describe.each(WITH_TOKEN)('a token for %s', (operation) => {
  const { capability } = {
    publish: { capability: 'publish-uri' },
    replay: { capability: 'replay' },
    restream: { capability: 'egress' },
  }[operation];

  it('is taken', async () => {
    expect(await attempt(operation, {})).toMatchObject({ ok: true, attempts: 1 });
  });

  it('is taken with more capabilities than it needs, limits that hold, and to its last millisecond', async () => {
    const capabilities = ['streaming', capability, 'on-demand'];
    const claims = { capabilities, remoteAddress: '127.0.0.1', expires: STARTS_AT + 10_001 };
    expect(await attempt(operation, claims)).toMatchObject({ ok: true });
  });

  it.each([
    ['expired, to the millisecond', { expires: STARTS_AT + 10_000 }, /expired/],
    ['without its capability', { capabilities: ['streaming'] }, /lacks the capability/],
    ['with capabilities of another case', { capabilities: [capability.toUpperCase()] }, /lacks the capability/],
    ['without any', { capabilities: [] }, /lacks the capability/],
    ['of a type for something else', { type: 'auth' }, /type is auth/],
    ['for another address', { remoteAddress: '192.0.2.1' }, /is for 192\.0\.2\.1/],
    ["of another application's", { applicationId: 'other' }, /another application/],
    ['made with another secret', { secret: 'other' }, /digest/],
  ] as [string, Partial<EdgeTokenOptions>, RegExp][])('is refused %s', async (_case, claims, why) => {
    await expectRefusal(operation, claims, why);
  });
});

describe('the type of a token', () => {
  const takes: Record<WithToken, (EdgeTokenOptions['type'] | undefined)[]> = {
    publish: [undefined, 'publish'],
    replay: [undefined, 'stream'],
    restream: ['stream'],
  };
  const cases = WITH_TOKEN.flatMap((operation) =>
    ([undefined, 'auth', 'stream', 'publish'] as const).map((type) => [operation, type] as const),
  );

  it.each(cases)('for %s may be what the contract lets it be: %s', async (operation, type) => {
    const result = await attempt(operation, { type });
    expect([type, result.ok]).toEqual([type, takes[operation].includes(type)]);
  });
});

describe('a token that somebody changed', () => {
  type Envelope = { applicationId: string; digest: string; token: string };
  const changing = (change: (envelope: Envelope) => Envelope) => (token: string) => {
    const envelope = JSON.parse(Buffer.from(token.slice(7), 'base64').toString()) as Envelope;
    return `DIGEST:${Buffer.from(JSON.stringify(change(envelope))).toString('base64')}`;
  };
  const claims = (change: (text: string) => string) =>
    changing((envelope) => ({ ...envelope, token: change(envelope.token) }));

  it.each([
    ['in nothing, but taken apart and put together', changing((same) => same), true],
    ['so that it lasts longer', claims((text) => text.replace(/"expires":\d+/, '"expires":4102444800000')), false],
    ['so that it may more', claims((text) => text.replace('["publish-uri"', '["publish-uri","egress"')), false],
    ['in a blank', claims((text) => text.replace(',', ', ')), false],
    ['in its application', changing((envelope) => ({ ...envelope, applicationId: 'other' })), false],
    ['in its digest', changing((envelope) => ({ ...envelope, digest: envelope.digest.replace(/^./, '!') })), false],
    ['in the length of its digest', changing((envelope) => ({ ...envelope, digest: '' })), false],
    ['by cutting it', (token: string) => token.slice(0, -4), false],
    ['by taking its prefix away', (token: string) => token.slice(7), false],
    ['in the case of its prefix', (token: string) => token.replace('DIGEST:', 'digest:'), false],
  ] as [string, (token: string) => string, boolean][])('%s', async (_case, change, taken) => {
    const { client, sandbox, token } = await open();
    const input = { type: 'srt', uri: 'srt://a.example:9' } as const;
    const result = await client.publishUri({ ...input, token: change(token(CLAIMS.publish)) });
    expect(result.ok).toBe(taken);
    if (!taken) expect(errorOf(result)).toMatchObject({ http: 401, status: 'unauthorized' });
    expect(sandbox.streams()).toHaveLength(taken ? 1 : 0);
  });
});

describe('a token in a path of another application', () => {
  it.each(WITH_TOKEN)('is refused for %s', async (operation) => {
    const { sandbox } = await open();
    sandbox.publish();
    const elsewhere = await open({}, { baseUrl: sandbox.baseUrl, applicationId: 'other' });
    const error = errorOf(await elsewhere.operations[operation]());
    expect(error).toMatchObject({ http: 401, status: 'unauthorized' });
  });
});

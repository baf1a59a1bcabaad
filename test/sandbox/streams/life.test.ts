import { describe, expect, it } from '@jest/globals';
import { notificationSchema } from '../../../src/protocol/notification.js';
import { createManualClock } from '../../../src/sandbox/clock/manual-clock.js';
import { createSandbox } from '../../../src/sandbox/create-sandbox.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { type Receiver, startReceiver } from '../receiver.js';
import { releasers } from '../releasers.js';

const releasing = releasers();

async function setUp(options: SandboxOptions = {}) {
  const receiver = releasing(await startReceiver());
  const clock = createManualClock();
  const sandbox = releasing(await createSandbox({ clock, callback: receiver.callback, ...options }));
  return { receiver, clock, sandbox };
}

/** File names of the playlists that a kind of notification named. */
function playlists(receiver: Receiver, what: string): string[] {
  const ofKind = receiver.received.filter(({ message }) => message.what === what);
  return ofKind.map(({ message }) => String(message.data.uri).split('/').at(-1) ?? '');
}

const EVERY_PLAYLIST = ['primary', 'xhd', 'hd', 'sd'].flatMap((name) => [`${name}.m3u8`, `${name}.mpd`]);

describe('the life of a stream', () => {
  it('is started, live for every playlist, ended with duration and reason, on-demand for every playlist', async () => {
    const { receiver, clock, sandbox } = await setUp();
    const stream = sandbox.publish({ tags: ['a', 'b'], sessionId: 'session-1' });
    await clock.advance(2_000);
    expect(receiver.received.map(({ message }) => message.what)).toEqual(['started', 'live']);
    await clock.advance(10_000);
    expect(playlists(receiver, 'live')).toEqual(EVERY_PLAYLIST);
    sandbox.endStream(stream.streamId, 'enough');
    await clock.advance(10_000);
    expect(playlists(receiver, 'on-demand')).toEqual(EVERY_PLAYLIST);
    const messages = receiver.received.map(({ message }) => message);
    expect(messages).toHaveLength(18);
    expect(messages.find(({ what }) => what === 'started')?.data).toEqual({
      streamId: stream.streamId,
      tags: ['a', 'b'],
    });
    expect(messages.find(({ what }) => what === 'ended')?.data).toEqual({
      streamId: stream.streamId,
      tags: ['a', 'b'],
      duration: 12_000,
      reason: 'enough',
    });
    for (const message of messages) {
      expect(notificationSchema.safeParse(message).error?.issues).toBeUndefined();
      expect(message).toMatchObject({ apiVersion: 0, entity: 'stream', sessionId: 'session-1' });
      expect(message.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    const primaries = messages
      .filter(({ data }) => data.isPrimary)
      .map(({ data }) => String(data.uri).split('/').at(-1));
    expect(primaries).toEqual(['primary.m3u8', 'primary.mpd', 'primary.m3u8', 'primary.mpd']);
  });

  it('gives each notification a later timestamp than those before it, however fast it goes', async () => {
    const { receiver, clock, sandbox } = await setUp({ liveAfterMs: 0, onDemandAfterMs: 0, playlistGapMs: 0 });
    sandbox.endStream(sandbox.publish().streamId);
    await clock.advance(1);
    const stamps = sandbox.deliveries().map(({ message }) => Date.parse(message.timestamp));
    expect(stamps).toHaveLength(18);
    expect(stamps).toEqual([...new Set(stamps)].sort((one, other) => one - other));
    expect(receiver.received).toHaveLength(18);
  });

  it('has the same events if it ends before its playlists are ready', async () => {
    const { receiver, clock, sandbox } = await setUp();
    sandbox.publish({ durationMs: 500, reason: 'cut' });
    await clock.advance(20_000);
    await sandbox.settled();
    expect(playlists(receiver, 'live').sort()).toEqual([...EVERY_PLAYLIST].sort());
    expect(playlists(receiver, 'on-demand')).toEqual(EVERY_PLAYLIST);
    expect(sandbox.deliveries().find(({ what }) => what === 'ended')?.message.data).toMatchObject({
      duration: 500,
      reason: 'cut',
    });
    expect(sandbox.streams()).toMatchObject([{ state: 'ended', durationMs: 500, reason: 'cut' }]);
  });

  it('lasts whole milliseconds, whatever was asked for', async () => {
    const { clock, sandbox } = await setUp();
    sandbox.publish({ durationMs: 1500.4 });
    await clock.advance(10_000);
    const ended = sandbox.deliveries().find(({ what }) => what === 'ended');
    expect(notificationSchema.parse(ended?.message).data).toMatchObject({ duration: 1500 });
  });

  it('may have notifications of any kind beside', async () => {
    const { receiver, clock, sandbox } = await setUp();
    const { streamId } = sandbox.publish();
    sandbox.emit(streamId, 'thumbnail', { uri: 'https://example.com/1.jpg' });
    await clock.advance(0);
    expect(receiver.received.map(({ message }) => message)).toContainEqual(
      expect.objectContaining({ what: 'thumbnail', data: { streamId, uri: 'https://example.com/1.jpg' } }),
    );
  });

  it('ends once, and only where there is such a stream', async () => {
    const { sandbox } = await setUp();
    const { streamId } = sandbox.publish();
    sandbox.endStream(streamId);
    expect(() => sandbox.endStream(streamId)).toThrow(`${streamId} has ended already`);
    expect(() => sandbox.endStream('other')).toThrow('there is no stream "other"');
  });

  it('has identifiers of its run alone, whatever the seed', async () => {
    const ids = async (run?: string) => {
      const { sandbox } = await setUp({ run, seed: 3 });
      return [sandbox.publish(), sandbox.publish()].map(({ streamId, sharedSecret }) => [streamId, sharedSecret]);
    };
    expect(await ids('one')).toEqual(await ids('one'));
    expect(await ids('one')).not.toEqual(await ids('other'));
    expect(await ids()).not.toEqual(await ids());
  });
});

import type { Callback } from '../../protocol/callback-endpoint.js';
import type { Settings } from '../../sandbox/settings.js';
import { QUALITIES } from '../../sandbox/streams/qualities.js';
import { CommandError } from '../command-error.js';
import { qualityNames, type ServeFlags } from './serve-flags.js';

/** Settings of the sandbox that the flags ask for. */
export function readSettings(flags: ServeFlags): Partial<Settings> {
  const { port, host, applicationId, secret, brand, faults, seed, speed, concurrency } = flags;
  const { unanswered, lastRepeat, signRepeats, timestampUnit, ingestCapabilities } = flags;
  return {
    port,
    host,
    applicationId,
    secret,
    brand,
    callback: flags.callback === undefined ? undefined : readCallback(flags.callback, flags.callbackMethod),
    faults,
    seed,
    run: flags.runId,
    speed,
    concurrency,
    unanswered,
    lastRepeat,
    signRepeats,
    timestampUnit,
    ingestCapabilities,
    qualities: readQualities(flags.qualities),
    reorderWindowMs: flags.reorderWindow,
    answerTimeoutMs: flags.answerTimeout,
    liveAfterMs: flags.liveAfter,
    onDemandAfterMs: flags.onDemandAfter,
    playlistGapMs: flags.playlistGap,
    streamDurationMs: flags.streamDuration,
  };
}

function readCallback(text: string, method: Callback['method']): Callback {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = url?.protocol.slice(0, -1);
  if (!url || (protocol !== 'http' && protocol !== 'https')) {
    throw new CommandError(`--callback: expected http://… or https://…; received "${text}"`, 2);
  }
  return {
    protocol,
    host: url.hostname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    method,
    path: url.pathname,
    query: url.search.slice(1),
  };
}

function readQualities(names: string[]): Settings['qualities'] {
  const unknown = names.find((name) => !qualityNames().includes(name));
  if (unknown === undefined) return QUALITIES.filter((quality) => names.includes(quality.name));
  throw new CommandError(`--qualities: there is no "${unknown}"; there are ${qualityNames().join(', ')}`, 2);
}

import type { Callback } from '../protocol/callback-endpoint.js';
import type { PlatformClock } from './clock/platform-clock.js';
import { type Faults, NO_FAULTS, parseFaults } from './delivery/faults.js';
import type { LastRepeat } from './delivery/repeat-schedule.js';
import { callbackProblem } from './operations/callback-problem.js';
import { QUALITIES, type Quality } from './streams/qualities.js';

/** How the sandbox behaves. Where the contract is silent the choice is an option here, and its default stands beside it. */
export interface Settings {
  /** Default `127.0.0.1`. */
  host: string;
  /** Default 0: any that is free. */
  port: number;
  /** Default `sandbox`. */
  applicationId: string;
  /** Signs notifications, and tokens with them; default `sandbox-secret`. */
  secret: string;
  /** The maker's brand: `Svc`, the default, gives `/svc/…` and `X-Svc-…`. */
  brand: string;
  /** Where notifications go from the start; default nowhere until an endpoint is registered. */
  callback: Callback | undefined;
  /** Decides the faults, and the lengths of a load run's streams; default 1. */
  seed: number;
  /**
   * Part of every identifier; default made up, so that a receiver does not take the streams of a second run for repeats
   * of the first's. Letters, digits and `-`.
   */
  run: string | undefined;
  /** Also as text, `reorder=0.3,skew=5s` or `all`; default none. */
  faults: Faults | string;
  /** How long a reordered notification is held back at most, real ms; default 500. */
  reorderWindowMs: number;
  /** How much faster than real time the platform waits, at most 10,000; default 1. Stamps are in real time always. */
  speed: number;
  /** A clock instead of a speed: `createManualClock()`. */
  clock: PlatformClock | undefined;
  /** Deliveries on their way at a time; default 32. */
  concurrency: number;
  /** How long an answer may take, real ms; default 30,000. */
  answerTimeoutMs: number;
  /** After a refused or broken connection or no answer in time; default `repeat`, as after a 5XX. */
  unanswered: 'repeat' | 'drop';
  /** Whether the ninth repeat is made at 25 minutes or never; default `at-limit`. See {@link LastRepeat}. */
  lastRepeat: LastRepeat;
  /** Whether a repeat is signed with a new timestamp or with that of the first attempt; default `again`. */
  signRepeats: 'again' | 'once';
  /** Unit of the signed timestamp: seconds, the default, or milliseconds. */
  timestampUnit: 's' | 'ms';
  /** Capabilities of which a publishing token may carry one; default uhd, xhd, fhd, hd, sd, ld. */
  ingestCapabilities: readonly string[];
  /** Each has a playlist of its own; default xhd, hd, sd. */
  qualities: readonly Quality[];
  /** From `started` to the first `live`, platform ms; default 2,000. */
  liveAfterMs: number;
  /** From `ended` to the first `on-demand`, platform ms; default 3,000. */
  onDemandAfterMs: number;
  /** Between the playlists of a stream, platform ms; default 100. */
  playlistGapMs: number;
  /** How long a stream lasts that says nothing of its own, platform ms; default until it is ended by hand. */
  streamDurationMs: number | undefined;
}

/** Every setting may be left out. */
export type SettingsOptions = { [Name in keyof Settings]?: Settings[Name] | undefined };

export const DEFAULT_SETTINGS: Settings = {
  host: '127.0.0.1',
  port: 0,
  applicationId: 'sandbox',
  secret: 'sandbox-secret',
  brand: 'Svc',
  callback: undefined,
  seed: 1,
  run: undefined,
  faults: NO_FAULTS,
  reorderWindowMs: 500,
  speed: 1,
  clock: undefined,
  concurrency: 32,
  answerTimeoutMs: 30_000,
  unanswered: 'repeat',
  lastRepeat: 'at-limit',
  signRepeats: 'again',
  timestampUnit: 's',
  ingestCapabilities: ['uhd', 'xhd', 'fhd', 'hd', 'sd', 'ld'],
  qualities: QUALITIES,
  liveAfterMs: 2_000,
  onDemandAfterMs: 3_000,
  playlistGapMs: 100,
  streamDurationMs: undefined,
};

const SMALLEST: Partial<Record<keyof Settings, number>> = {
  port: 0,
  reorderWindowMs: 0,
  speed: 0.1,
  concurrency: 1,
  answerTimeoutMs: 1,
  liveAfterMs: 0,
  onDemandAfterMs: 0,
  playlistGapMs: 0,
  streamDurationMs: 0,
};
const MAX_SPEED = 10_000;

/**
 * Fills in what was left out.
 *
 * @throws TypeError that names the first setting that cannot be
 */
export function resolveSettings(options: SettingsOptions): Settings & { faults: Faults } {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(DEFAULT_SETTINGS, name));
  if (unknown !== undefined) throw new TypeError(`createSandbox: there is no option "${unknown}"`);
  const settings: Settings = { ...DEFAULT_SETTINGS, ...given };
  for (const [name, smallest] of Object.entries(SMALLEST)) {
    const value = settings[name as keyof Settings];
    if (value !== undefined && !(typeof value === 'number' && Number.isFinite(value) && value >= smallest)) {
      throw new TypeError(
        `createSandbox: ${name}: expected a number, ${smallest} or more; received ${JSON.stringify(value)}`,
      );
    }
  }
  if (settings.speed > MAX_SPEED) {
    throw new TypeError(`createSandbox: speed: expected at most ${MAX_SPEED}; received ${settings.speed}`);
  }
  for (const name of ['applicationId', 'secret'] as const) {
    if (settings[name] === '') throw new TypeError(`createSandbox: ${name}: expected some text; received none`);
  }
  for (const name of ['brand', 'run'] as const) {
    const value = settings[name];
    if (value !== undefined && !/^[A-Za-z0-9-]+$/.test(value)) {
      throw new TypeError(`createSandbox: ${name}: expected letters, digits and -; received "${value}"`);
    }
  }
  const problem = settings.callback === undefined ? undefined : callbackProblem(settings.callback);
  if (problem !== undefined) throw new TypeError(`createSandbox: ${problem}`);
  const { faults } = settings;
  return { ...settings, faults: typeof faults === 'string' ? parseFaults(faults) : faults };
}

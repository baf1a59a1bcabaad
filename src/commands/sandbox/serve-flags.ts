import { type Command, Option } from 'commander';
import { DEFAULT_SETTINGS, type Settings } from '../../sandbox/settings.js';
import { QUALITIES } from '../../sandbox/streams/qualities.js';
import { parseDuration } from '../parse-duration.js';
import { parseCount, parseList, parseNumber } from './parse-flags.js';

/** The flags of `sluice sandbox`, as commander reads them. Durations are in ms. */
export interface ServeFlags {
  port: number;
  host: string;
  applicationId: string;
  secret: string;
  brand: string;
  callback?: string;
  callbackMethod: 'GET' | 'POST' | 'PUT';
  faults: string;
  seed: number;
  runId?: string;
  speed: number;
  publish?: number;
  rate: number;
  duration?: number;
  report: 'text' | 'json';
  recorder: string[];
  deliveries?: boolean;
  reorderWindow: number;
  concurrency: number;
  answerTimeout: number;
  unanswered: Settings['unanswered'];
  lastRepeat: Settings['lastRepeat'];
  signRepeats: Settings['signRepeats'];
  timestampUnit: Settings['timestampUnit'];
  ingestCapabilities: string[];
  qualities: string[];
  liveAfter: number;
  onDemandAfter: number;
  playlistGap: number;
  streamDuration?: number;
}

const DEFAULT_PORT = 4_000;
const defaults = DEFAULT_SETTINGS;

/** Every flag of `sluice sandbox`; where the contract is silent, its help says what was chosen. */
export function addServeFlags(command: Command): Command {
  const groups: [string, Option[]][] = [
    ['Where and who:', placeFlags()],
    ['Load run:', loadFlags()],
    ['Faults and time:', faultFlags()],
    ['Streams (times of the platform):', streamFlags()],
    ['Deliveries, and where the contract is silent:', deliveryFlags()],
  ];
  for (const [heading, options] of groups) {
    command.optionsGroup(heading);
    for (const option of options) command.addOption(option);
  }
  return command.optionsGroup('Other:');
}

function placeFlags(): Option[] {
  return [
    new Option('--port <n>', '0: any that is free').argParser(parseCount(0)).default(DEFAULT_PORT),
    new Option('--host <address>', 'where it listens').default(defaults.host),
    new Option('--application-id <id>', 'the application that it knows').default(defaults.applicationId),
    new Option('--secret <secret>', 'of the application: signs notifications and tokens').default(defaults.secret),
    new Option('--brand <name>', 'in paths and header names').default(defaults.brand),
    new Option('--callback <url>', 'registers this endpoint at once'),
    new Option('--callback-method <method>', 'of the endpoint').choices(['GET', 'POST', 'PUT']).default('POST'),
    new Option('--deliveries', 'print each delivery (default: on a terminal)'),
    new Option('--no-deliveries', 'print none'),
    new Option('--duration <time>', 'ends after this real time').argParser(parseDuration({ zero: true, waited: true })),
    new Option('--report <format>', 'at the end; with json all else goes to standard error')
      .choices(['text', 'json'])
      .default('text'),
  ];
}

function loadFlags(): Option[] {
  return [
    new Option(
      '--publish <n>',
      'publishes streams that end by themselves, and ends when all is delivered and recorded; exit code 1 where the ' +
        'receiver lost, repeated, disordered or did not acknowledge something',
    ).argParser(parseCount(1)),
    new Option('--run-id <name>', 'part of every identifier (default: made up, so that no run repeats another)'),
    new Option('--rate <n>', 'streams in a real second').argParser(parseNumber(0.01)).default(50),
    new Option('--recorder <names>', 'handlers that must tell the recorder what they handled')
      .argParser(parseList)
      .default([], 'those that did'),
  ];
}

function faultFlags(): Option[] {
  return [
    new Option(
      '--faults <list>',
      'reorder, repeat, lost-ack, retag, restamp, bad-signature (chances from 0 to 1), skew (a time); or all, or none',
    ).default('none'),
    new Option('--seed <n>', 'the same seed gives the same run').argParser(parseCount(0)).default(defaults.seed),
    new Option('--speed <n>', 'how much faster the platform waits; its stamps stay in real time')
      .argParser(parseNumber(0.1))
      .default(defaults.speed),
    duration(
      '--reorder-window <time>',
      'reordered notifications are late by this real time at most',
      'reorderWindowMs',
    ),
  ];
}

function streamFlags(): Option[] {
  return [
    new Option(
      '--stream-duration <time>',
      'of a stream (default: until it is ended; in a load run 10s, give or take a half)',
    ).argParser(parseDuration({ zero: true })),
    duration('--live-after <time>', 'from started to the first live', 'liveAfterMs'),
    duration('--on-demand-after <time>', 'from ended to the first on-demand', 'onDemandAfterMs'),
    duration('--playlist-gap <time>', 'between the playlists of a stream', 'playlistGapMs'),
    new Option('--qualities <names>', 'that have playlists (the contract names xhd alone)')
      .argParser(parseList)
      .default(qualityNames(), qualityNames().join(',')),
  ];
}

function deliveryFlags(): Option[] {
  return [
    new Option('--concurrency <n>', 'deliveries on their way at a time')
      .argParser(parseCount(1))
      .default(defaults.concurrency),
    duration('--answer-timeout <time>', 'real time that an answer may take', 'answerTimeoutMs'),
    new Option('--unanswered <what>', 'after a refused or broken connection, or no answer in time')
      .choices(['repeat', 'drop'])
      .default(defaults.unanswered),
    new Option('--last-repeat <what>', 'the ninth is due at 1,533 s, past 25 minutes: made at 25 minutes, or never')
      .choices(['at-limit', 'drop'])
      .default(defaults.lastRepeat),
    new Option('--sign-repeats <what>', 'with a new timestamp, or with that of the first attempt')
      .choices(['again', 'once'])
      .default(defaults.signRepeats),
    new Option('--timestamp-unit <unit>', 'of the signed timestamp')
      .choices(['s', 'ms'])
      .default(defaults.timestampUnit),
    new Option('--ingest-capabilities <names>', 'a publishing token with more than one of them is answered 409')
      .argParser(parseList)
      .default(defaults.ingestCapabilities, defaults.ingestCapabilities.join(',')),
  ];
}

/** The qualities that there are. */
export function qualityNames(): string[] {
  return QUALITIES.map((quality) => quality.name);
}

function duration(flag: string, what: string, setting: DurationSetting): Option {
  return new Option(flag, what)
    .argParser(parseDuration({ zero: true, waited: true }))
    .default(defaults[setting], `${defaults[setting]}ms`);
}

type DurationSetting = 'reorderWindowMs' | 'liveAfterMs' | 'onDemandAfterMs' | 'playlistGapMs' | 'answerTimeoutMs';

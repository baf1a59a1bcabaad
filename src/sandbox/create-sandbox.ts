import { randomBytes } from 'node:crypto';
import { formatCallback, type ResolvedCallback, resolveCallback } from '../protocol/callback-endpoint.js';
import { createEdgeToken } from '../protocol/edge-token.js';
import { createPlatformClock } from './clock/platform-clock.js';
import { createDeliverer } from './delivery/deliverer.js';
import type { FaultSource } from './delivery/fault-plan.js';
import { formatFaults } from './delivery/faults.js';
import { createLedger } from './delivery/ledger.js';
import { createSender } from './delivery/send-request.js';
import { createWork } from './delivery/work.js';
import { addControlRoutes } from './http/control-routes.js';
import { createHttpApp, endHttpApp } from './http/http-app.js';
import { listen } from './http/listen.js';
import { addPlatformRoutes } from './http/platform-routes.js';
import { addPlaylistRoutes, createPlaylistUris } from './http/playlist-routes.js';
import { createPreparedAnswers } from './http/prepared-answers.js';
import { callbackProblem } from './operations/callback-problem.js';
import { Refusal } from './operations/refusal.js';
import { reportHandling } from './report/handling-report.js';
import { createRecorder } from './report/recorder.js';
import { createReport } from './report/report.js';
import { untilHandled } from './report/until-handled.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';
import { resolveSettings } from './settings.js';
import { viewStream } from './streams/stream.js';
import { createStreams } from './streams/streams.js';

/** How long a token lasts. */
const TOKEN_LIFE_MS = 3_600_000;
/** Longer than receivers hold a notification back for one that is missing. */
const HANDLED_QUIET_MS = 15_000;

/** Starts the platform as a local server. Resolves when it listens. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { expectedHandlers = [], onAttempt = () => {}, ...given } = options;
  const settings = resolveSettings(given);
  const { applicationId, secret, seed, faults, run = randomBytes(4).toString('hex') } = settings;
  const clock = settings.clock ?? createPlatformClock(settings.speed);
  const source: FaultSource = { faults, seed, reorderWindowMs: settings.reorderWindowMs };
  const work = createWork();
  const ledger = createLedger();
  const recorder = createRecorder(ledger.find);
  const prepared = createPreparedAnswers();
  const sender = createSender({ connections: settings.concurrency, timeoutMs: settings.answerTimeoutMs });
  let endpoint: ResolvedCallback | undefined = settings.callback && resolveCallback(settings.callback);
  const deliver = createDeliverer({
    settings,
    source,
    clock,
    ledger,
    sender,
    work,
    endpoint: () => endpoint,
    onAttempt,
  });
  const uris = createPlaylistUris(() => sandbox.baseUrl);
  const streams = createStreams({ settings, run, source, clock, work, playlistUri: uris.playlist, deliver });

  function streamOf(streamId: string) {
    const stream = streams.get(streamId);
    if (!stream) throw new Refusal(404, 'stream-not-found', `there is no stream "${streamId}"`);
    return stream;
  }

  const closing = new AbortController();
  const handlers = () => reportHandling(ledger.all(), recorder.records(), expectedHandlers);

  const app = createHttpApp();
  const server = await listen(app, settings.port, settings.host);
  const sandbox: Sandbox = {
    baseUrl: server.baseUrl,
    applicationId,
    secret,
    info: () => ({
      applicationId,
      baseUrl: sandbox.baseUrl,
      endpoint: endpoint ? formatCallback(endpoint) : null,
      run,
      seed,
      speed: clock.speed,
      faults: formatFaults(faults),
    }),
    register(callback) {
      const problem = callbackProblem(callback);
      if (problem !== undefined) throw new TypeError(`register: ${problem}`);
      endpoint = resolveCallback(callback);
      return formatCallback(endpoint);
    },
    createToken({ expiresInMs = TOKEN_LIFE_MS, ...claims } = {}) {
      return createEdgeToken({ ...claims, applicationId, secret, expires: clock.stamp() + expiresInMs });
    },
    publish: (request) => viewStream(streams.publish(request), clock.now()),
    endStream(streamId, reason = '') {
      streamOf(streamId);
      const ended = streams.end(streamId, reason);
      if (!ended) throw new Refusal(409, 'stream-ended', `${streamId} has ended already`);
      return viewStream(ended, clock.now());
    },
    emit: (streamId, what, data = {}) => streams.emit(streamOf(streamId), what, data),
    streams: () => streams.all().map((stream) => viewStream(stream, clock.now())),
    deliveries: ledger.all,
    settled: work.settled,
    answerNext: prepared.add,
    preparedAnswers: prepared.waiting,
    clearAnswers: prepared.clear,
    record: recorder.record,
    handled: (quietMs = HANDLED_QUIET_MS) => untilHandled(handlers, quietMs, closing.signal),
    report: () =>
      createReport({
        run,
        seed,
        speed: clock.speed,
        faults,
        streams: streams.all(),
        deliveries: ledger.all(),
        records: recorder.records(),
        expectedHandlers,
      }),
    async close() {
      closing.abort();
      clock.stop();
      work.abandon();
      await Promise.all([sender.close(), server.close()]);
    },
  };
  addPlatformRoutes(app, {
    settings,
    clock,
    prepared,
    streams,
    onRegister: (callback) => {
      endpoint = callback;
    },
    segmentUri: uris.segment,
  });
  addControlRoutes(app, sandbox);
  addPlaylistRoutes(app, { streams, clock, qualities: settings.qualities, uris });
  endHttpApp(app);
  return sandbox;
}

import type { Express, Request } from 'express';
import type { ResolvedCallback } from '../../protocol/callback-endpoint.js';
import type { PlatformClock } from '../clock/platform-clock.js';
import type { Application, Bearer } from '../operations/authorize.js';
import { readPublishing } from '../operations/publish.js';
import { register } from '../operations/register.js';
import { readReplay } from '../operations/replay.js';
import { readRestreaming } from '../operations/restream.js';
import type { Settings } from '../settings.js';
import { HLS_TYPE, renderPrimaryManifest, renderQualityManifest } from '../streams/hls-manifest.js';
import type { Segment } from '../streams/media.js';
import { durationMs, type Stream } from '../streams/stream.js';
import type { Streams } from '../streams/streams.js';
import { bodyOf, operation, queryOf } from './http-app.js';
import type { PreparedAnswers } from './prepared-answers.js';

export interface PlatformRoutes {
  settings: Settings;
  clock: PlatformClock;
  prepared: PreparedAnswers;
  streams: Streams;
  onRegister(callback: ResolvedCallback): void;
  segmentUri(stream: Stream, quality: string, segment: Segment): string;
}

/** The four operations of the platform (contract: "Endpoints"), under the brand's path. */
export function addPlatformRoutes(app: Express, routes: PlatformRoutes): void {
  const { settings, clock, prepared, streams } = routes;
  const application: Application = { applicationId: settings.applicationId, secret: settings.secret };
  const root = `/${settings.brand.toLowerCase()}`;

  app.put(
    `${root}/application/:applicationId/callback`,
    operation('register', prepared, (request) => {
      const { callback, answer } = register(application, {
        applicationId: parameter(request, 'applicationId'),
        authorization: request.get('Authorization'),
        contentType: request.get('Content-Type'),
        body: bodyOf(request),
      });
      routes.onRegister(callback);
      return { json: answer };
    }),
  );

  app.put(
    `${root}/:applicationId/stream/publish/uri/:type`,
    operation('publish', prepared, (request) => {
      const wanted = { ...bearerOf(request, clock), ...contentOf(request), type: parameter(request, 'type') };
      const stream = streams.publish(readPublishing(application, settings.ingestCapabilities, wanted));
      return { json: describeStream(stream) };
    }),
  );

  app.put(
    `${root}/:applicationId/stream/egress/uri/:protocol`,
    operation('restream', prepared, (request) => {
      const wanted = { ...bearerOf(request, clock), ...contentOf(request), protocol: parameter(request, 'protocol') };
      return { json: describeStream(readRestreaming(application, streams.all(), wanted)) };
    }),
  );

  app.get(
    `${root}/:applicationId/stream/replay/:file`,
    operation('replay', prepared, (request) => {
      const { qualities } = settings;
      const sources = {
        streams: streams.all(),
        qualities,
        durationMs: (stream: Stream) => durationMs(stream, clock.now()),
      };
      const wanted = { ...bearerOf(request, clock), file: parameter(request, 'file'), query: queryOf(request) };
      const replay = readReplay(application, sources, wanted);
      if (replay.type === 'primary') return { type: HLS_TYPE, text: renderPrimaryManifest(qualities, replay.query) };
      const { stream, quality, segments } = replay;
      const uri = (segment: Segment) => routes.segmentUri(stream, quality.name, segment);
      return { type: HLS_TYPE, text: renderQualityManifest(segments, uri, true) };
    }),
  );
}

function describeStream({ streamId, sharedSecret }: Stream): object {
  return { status: 'ok', streamId, sharedSecret, options: [] };
}

function bearerOf(request: Request, clock: PlatformClock): Bearer {
  return {
    token: /^Bearer +(\S+)$/i.exec(request.get('Authorization') ?? '')?.[1],
    applicationId: parameter(request, 'applicationId'),
    remoteAddress: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    now: clock.stamp(),
  };
}

function contentOf(request: Request): { contentType: string | undefined; body: string } {
  return { contentType: request.get('Content-Type'), body: bodyOf(request) };
}

function parameter(request: Request, name: string): string {
  return String(request.params[name]);
}

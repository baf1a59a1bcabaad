import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueDepth } from '../pipeline/depths.js';
import type { PipelineObserver } from '../pipeline/observer.js';
import { isKnownKind } from '../protocol/notification.js';
import type { ReceiverObserver } from '../receiver/observer.js';

/** From a millisecond to a minute, seconds. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Senders choose kinds: only the contract's are labels of their own. */
const kindLabel = (kind: string) => (isKnownKind(kind) ? kind : 'other');

/** All metrics of a process, and the observers that feed them. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `sluice_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Histogram({ name: `sluice_${name}`, help, labelNames, buckets: BUCKETS_S, registers });

  const requests = counter('requests_total', 'Requests to the public listener', ['outcome', 'status']);
  const requestSeconds = histogram('request_duration_seconds', 'From headers to answer', ['outcome']);
  const rejections = counter('rejections_total', 'Requests that were not let in, by the check that failed', ['reason']);
  const accepted = counter('notifications_accepted_total', 'Notifications made durable', ['kind']);
  const repeats = counter('notifications_repeated_total', 'Repeats of notifications already there', ['kind']);
  const heldSeconds = histogram('notification_held_seconds', 'From receipt to release', ['kind']);
  const attempts = counter('attempts_total', 'Runs of handlers', ['handler', 'outcome']);
  const attemptSeconds = histogram('attempt_duration_seconds', 'How long handlers ran', ['handler']);
  const late = counter('late_attempts_total', 'Runs for notifications that came late', ['handler']);
  const replays = counter('replayed_attempts_total', 'Runs of replayed deliveries', ['handler']);
  const redisUp = new Gauge({ name: 'sluice_redis_up', help: 'Whether Redis can be used', registers });

  const receiver: ReceiverObserver = {
    answered({ outcome, status, durationMs }) {
      requests.inc({ outcome, status });
      requestSeconds.observe({ outcome }, durationMs / 1000);
    },
    rejected: (reason) => rejections.inc({ reason }),
  };
  const pipeline: PipelineObserver = {
    accepted: ({ kind, duplicate }) => (duplicate ? repeats : accepted).inc({ kind: kindLabel(kind) }),
    released: ({ kind, heldMs }) => heldSeconds.observe({ kind: kindLabel(kind) }, heldMs / 1000),
    attempted(event) {
      const { handler } = event;
      attempts.inc({ handler, outcome: event.outcome });
      attemptSeconds.observe({ handler }, event.durationMs / 1000);
      if (event.late) late.inc({ handler });
      if (event.replayed) replays.inc({ handler });
    },
    redisUp: (up) => redisUp.set(up ? 1 : 0),
  };

  return {
    registry,
    receiver,
    pipeline,
    /** Says where the depths of queues are read when metrics are asked for; while Redis is away they are left out. */
    collectDepths(read: () => Promise<QueueDepth[]>): void {
      let reading: Promise<QueueDepth[]> | undefined;
      // Both gauges are collected at the same time: they share what is read.
      const readOnce = () => {
        reading ??= read()
          .catch(() => [])
          .finally(() => {
            reading = undefined;
          });
        return reading;
      };
      new Gauge({
        name: 'sluice_lanes',
        help: 'Streams with deliveries not yet done',
        labelNames: ['queue'],
        registers,
        async collect() {
          const depths = await readOnce();
          this.reset();
          for (const { queue, lanes } of depths) if (lanes !== undefined) this.set({ queue }, lanes);
        },
      });
      new Gauge({
        name: 'sluice_queue_jobs',
        help: 'Jobs in a queue by state; in `notifications` delayed means held',
        labelNames: ['queue', 'state'],
        registers,
        async collect() {
          const depths = await readOnce();
          this.reset();
          for (const depth of depths) {
            for (const state of ['waiting', 'active', 'delayed', 'failed'] as const) {
              this.set({ queue: depth.queue, state }, depth[state]);
            }
          }
        },
      });
    },
  };
}

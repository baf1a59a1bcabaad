import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '../../src/console/metrics.js';
import type { QueueDepth } from '../../src/pipeline/depths.js';

/** The samples of Sluice's own metrics, without the buckets of histograms. */
async function samples({ registry }: ReturnType<typeof createMetrics>): Promise<Record<string, number>> {
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => /^sluice_/.test(line) && !/_bucket\{/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

describe('the metrics', () => {
  it('count requests by outcome and rejections by reason, with their time in seconds', async () => {
    const metrics = createMetrics();
    metrics.receiver.answered({ outcome: 'accepted', status: 200, durationMs: 250, kind: 'started' });
    metrics.receiver.answered({ outcome: 'unauthorized', status: 401, durationMs: 2 });
    metrics.receiver.rejected('digest');
    expect(await samples(metrics)).toMatchObject({
      'sluice_requests_total{outcome="accepted",status="200"}': 1,
      'sluice_requests_total{outcome="unauthorized",status="401"}': 1,
      'sluice_request_duration_seconds_sum{outcome="accepted"}': 0.25,
      'sluice_request_duration_seconds_count{outcome="unauthorized"}': 1,
      'sluice_rejections_total{reason="digest"}': 1,
    });
  });

  it('count notifications by kind; kinds that senders make up share one label', async () => {
    const metrics = createMetrics();
    metrics.pipeline.accepted({ kind: 'started', duplicate: false });
    metrics.pipeline.accepted({ kind: 'started', duplicate: true });
    for (const kind of ['toString', '__proto__', 'x'.repeat(5000)]) {
      metrics.pipeline.accepted({ kind, duplicate: false });
      metrics.pipeline.released({ kind, heldMs: 1500 });
    }
    const found = await samples(metrics);
    expect(found).toMatchObject({
      'sluice_notifications_accepted_total{kind="started"}': 1,
      'sluice_notifications_repeated_total{kind="started"}': 1,
      'sluice_notifications_accepted_total{kind="other"}': 3,
      'sluice_notification_held_seconds_sum{kind="other"}': 4.5,
    });
    expect(Object.keys(found).filter((name) => name.startsWith('sluice_notifications_accepted_total'))).toHaveLength(2);
  });

  it('count attempts by handler and outcome, late and replayed ones apart', async () => {
    const metrics = createMetrics();
    const attempt = { handler: 'catalogue', durationMs: 500, late: false, replayed: false };
    metrics.pipeline.attempted({ ...attempt, outcome: 'retry' });
    metrics.pipeline.attempted({ ...attempt, outcome: 'success', late: true, replayed: true });
    expect(await samples(metrics)).toMatchObject({
      'sluice_attempts_total{handler="catalogue",outcome="retry"}': 1,
      'sluice_attempts_total{handler="catalogue",outcome="success"}': 1,
      'sluice_attempt_duration_seconds_sum{handler="catalogue"}': 1,
      'sluice_late_attempts_total{handler="catalogue"}': 1,
      'sluice_replayed_attempts_total{handler="catalogue"}': 1,
    });
  });

  it('read the depths of queues when they are asked for, and leave them out while Redis is away', async () => {
    const metrics = createMetrics();
    const depth = { waiting: 1, active: 2, delayed: 3, failed: 4 };
    let reads = 0;
    let read = async (): Promise<QueueDepth[]> => {
      reads++;
      return [
        { queue: 'notifications', ...depth, lanes: undefined },
        { queue: 'handler-catalogue', ...depth, lanes: 5 },
      ];
    };
    metrics.collectDepths(() => read());
    metrics.pipeline.redisUp(true);
    const there = await samples(metrics);
    expect(there).toMatchObject({
      'sluice_queue_jobs{queue="notifications",state="delayed"}': 3,
      'sluice_queue_jobs{queue="handler-catalogue",state="failed"}': 4,
      'sluice_lanes{queue="handler-catalogue"}': 5,
      sluice_redis_up: 1,
    });
    expect(reads).toBe(1);
    expect(there).not.toHaveProperty(['sluice_lanes{queue="notifications"}']);

    read = () => Promise.reject(new Error('Redis is away'));
    metrics.pipeline.redisUp(false);
    const away = await samples(metrics);
    expect(away).toMatchObject({ sluice_redis_up: 0 });
    expect(Object.keys(away).filter((name) => /^sluice_(queue_jobs|lanes)/.test(name))).toEqual([]);
  });

  it('are those of one process: two of them share nothing', async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    one.receiver.rejected('digest');
    expect(await samples(two)).not.toHaveProperty(['sluice_rejections_total{reason="digest"}']);
  });
});

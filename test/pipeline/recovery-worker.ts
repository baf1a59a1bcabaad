// Run by a test, as a process of its own, to be killed: a worker whose handler says what it was given, and never ends.
import { defineHandler } from '../../src/handlers/define-handler.js';
import { resolveHandler } from '../../src/handlers/resolve-handler.js';
import { startPipelineWorker } from '../../src/pipeline/worker.js';
import { createWorkerConnection } from '../../src/redis/connect.js';

const [port, prefix = ''] = process.argv.slice(2);
const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const handler = defineHandler({
  name: 'all',
  on: '*',
  handle({ data }, { id, attempt, fence }) {
    console.log(JSON.stringify({ id, stream: data.streamId, attempt, fence }));
    return new Promise(() => {});
  },
});
await startPipelineWorker({
  redis: createWorkerConnection({ host: '127.0.0.1', port: Number(port) }, log),
  prefix,
  handlers: [resolveHandler(handler, { concurrency: 50, attempts: 5, backoffMs: 20, timeoutMs: 600_000 })],
  reorderWindowMs: 20,
  reorderMissingStartMs: 20,
  eventRetentionS: 86_400,
  failedRetentionS: 1_209_600,
  observer: { accepted() {}, released() {}, attempted() {}, redisUp() {} },
  log,
  onError: () => {},
});

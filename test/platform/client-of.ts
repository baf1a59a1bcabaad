import { Agent } from 'undici';
import { createPlatformClient, type PlatformClientOptions } from '../../src/platform/create-platform-client.js';
import type { PlatformError, PlatformResult, RetryNotice } from '../../src/platform/platform-error.js';
import { json } from './recorded-platform.js';

export const START = '2026-11-20T10:00:00.000Z';
export const END = '2026-11-20T11:00:00.000Z';
export const TOKEN = 'DIGEST:eyJhIjoiYiJ9+/==';

/** An answer that publishing and restreaming take for a success. */
export const STREAM = json(200, { status: 'ok', streamId: 'stream-1', sharedSecret: 's', options: [] });

export type OperationName = 'register' | 'publish' | 'replay' | 'restream';
export const EVERY: OperationName[] = ['register', 'publish', 'replay', 'restream'];

export function errorOf(result: PlatformResult<object>): PlatformError {
  if (result.ok) throw new Error('expected a failure');
  return result.error;
}

/** A client that waits for nothing and writes down what it would have waited, without jitter; close it after use. */
export function clientOf(baseUrl: string, options: Partial<PlatformClientOptions> = {}) {
  const dispatcher = new Agent();
  const waits: number[] = [];
  const notices: RetryNotice[] = [];
  const client = createPlatformClient({
    baseUrl,
    applicationId: 'my-application',
    secret: 'my-secret',
    token: TOKEN,
    dispatcher,
    random: () => 0,
    sleep: async (ms) => void waits.push(ms),
    onRetry: (notice) => notices.push(notice),
    ...options,
  });
  /** Each operation with input that is fine, by its name in the contract's tables. */
  const operations = {
    register: () => client.registerCallback({ host: 'cb.example.com' }),
    publish: () => client.publishUri({ type: 'srt', uri: 'srt://203.0.113.7:9000' }),
    replay: () => client.fetchReplayManifest({ startTime: START, endTime: END }),
    restream: () => client.restream({ destination: 'rtmp://live.example.com/app/key' }),
  };
  return { client, operations, waits, notices, close: () => dispatcher.destroy() };
}

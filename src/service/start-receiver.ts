import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { PipelineObserver } from '../pipeline/observer.js';
import { createReceiver } from '../receiver/create-receiver.js';
import type { ReceiverObserver } from '../receiver/observer.js';
import type { RedisAddress } from '../redis/redis-url.js';
import { describeListenError } from './listen-error.js';
import type { Releasers } from './releasers.js';
import { startIntake } from './start-intake.js';

/** The public listener and what it puts notifications into. Resolves with its port; rejects where it cannot listen. */
export async function startReceiver(options: {
  config: Config;
  address: RedisAddress;
  observer: PipelineObserver;
  receiverObserver: ReceiverObserver;
  log: Logger;
  releasers: Releasers;
}): Promise<number> {
  const { config, log, releasers } = options;
  const receiver = createReceiver({
    intake: await startIntake(options),
    log,
    observer: options.receiverObserver,
    secrets: () => config.secrets,
    callbackPath: config.callbackPath,
    publicBasePath: config.publicBasePath,
    brand: config.headerBrand,
    toleranceS: config.timestampToleranceS,
    bodyLimitBytes: config.bodyLimitBytes,
  });
  const { port } = await receiver.listen(config.port, config.host).catch((error) => {
    throw describeListenError(error, { port: 'PORT', host: 'HOST' }, config);
  });
  releasers.add('public listener', () => receiver.close(config.shutdownTimeoutMs));
  log.info({ port, host: config.host, path: config.callbackPath }, 'listening');
  return port;
}

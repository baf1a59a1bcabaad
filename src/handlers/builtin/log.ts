import { defineHandler } from '../define-handler.js';

/** Says what arrived: kind, stream and time of each notification, never its body. */
export const logHandler = defineHandler({
  name: 'log',
  on: '*',
  handle({ what, data, timestamp }, { log }) {
    log.info({ kind: what, stream: data?.streamId, timestamp }, `notification: ${what}`);
  },
});

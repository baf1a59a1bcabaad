import { defineHandler } from 'sluice';
import { handOver } from './_systems.ts';

/** Tells viewers that a playlist is there. Tried again soon: they are waiting. */
export default defineHandler({
  name: 'notify',
  on: ['live'],
  backoffMs: 300,
  timeoutMs: 5000,
  handle: (notification, context) => handOver('notify', notification, context),
});

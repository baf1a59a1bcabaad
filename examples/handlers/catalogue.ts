import { defineHandler } from 'sluice';
import { handOver } from './_systems.ts';

/** Which streams are live: their starts and ends, in order. */
export default defineHandler({
  name: 'catalogue',
  on: ['started', 'ended'],
  handle: (notification, context) => handOver('catalogue', notification, context),
});

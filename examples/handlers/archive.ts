import { defineHandler } from 'sluice';
import { handOver } from './_systems.ts';

/** Files recordings. One that cannot be filed keeps the rest of its stream waiting until a person has looked at it. */
export default defineHandler({
  name: 'archive',
  on: ['ended', 'on-demand'],
  onExhausted: 'park',
  handle: (notification, context) => handOver('archive', notification, context),
});

import { type Command, InvalidArgumentError } from 'commander';
import type { FailedFilter } from '../pipeline/failed-delivery.js';
import { readDuration } from './parse-duration.js';

export interface FilterFlags {
  handler?: string;
  kind?: string;
  stream?: string;
  since?: number;
  until?: number;
}

/** Adds the flags that say which failed deliveries are meant. */
export function addFilter(command: Command): Command {
  return command
    .argument('[ids...]', 'ids of notifications; none: all that the flags let through')
    .option('--handler <name>', 'of this handler')
    .option('--kind <kind>', 'of this kind')
    .option('--stream <id>', 'of this stream')
    .option('--since <time>', 'failed since: a duration ago (2h, 30m) or a time (2026-01-31T12:00Z)', parseTime)
    .option('--until <time>', 'failed before: likewise', parseTime);
}

export function toFilter(ids: readonly string[], flags: FilterFlags): FailedFilter {
  const { handler, kind, stream, since, until } = flags;
  return {
    ...(ids.length > 0 ? { ids } : {}),
    ...(handler === undefined ? {} : { handler }),
    ...(kind === undefined ? {} : { kind }),
    ...(stream === undefined ? {} : { stream }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** Milliseconds since the epoch. */
function parseTime(value: string): number {
  if (/^\d{4}-/.test(value)) {
    const time = Date.parse(value);
    if (!Number.isNaN(time)) return time;
  } else {
    const ago = readDuration(value);
    if (ago !== undefined) return Date.now() - ago;
  }
  throw new InvalidArgumentError('expected a duration (2h, 30m, 7d) or a time (2026-01-31T12:00Z)');
}

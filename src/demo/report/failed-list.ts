import { formatTable } from '../../commands/table.js';
import { indent, type Screen } from './screen.js';

/** Fields of `sluice failed list --json` that fit on a line. */
const FIELDS = ['handler', 'stream', 'kind', 'state', 'attempts', 'reason'] as const;

/** What `sluice failed list --json` printed, as a table. */
export function printFailedList(json: string, { print }: Screen): void {
  const failed = JSON.parse(json) as Record<(typeof FIELDS)[number], unknown>[];
  const rows = failed.map((one) => FIELDS.map((field) => String(one[field])));
  print(indent(formatTable(FIELDS, rows), 2));
}

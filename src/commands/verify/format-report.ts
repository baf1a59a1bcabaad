import ms from 'ms';
import { describeCause } from '../../protocol/mismatch/cause.js';
import { printable } from '../../protocol/mismatch/printable.js';
import { formatTable } from '../table.js';
import type { Report } from './report.js';

/** The report for a person who reads it `now`, in milliseconds since the epoch. What came from the request is printable ASCII. */
export function formatReport(report: Report, now: number): string {
  const { digest, checks } = report;
  const table = formatTable(
    ['check', 'result', 'detail'],
    checks.map(({ check, result, detail = '' }) => [check, result, printable(detail)]),
  );
  const rows: [string, string][] = [
    ['digest expected', `${digest.expected}  (of the body that arrived)`],
    ['digest received', digest.received === undefined ? 'none' : printable(digest.received)],
    ['string to sign', report.stringToSign === undefined ? 'none' : printable(report.stringToSign)],
    ['signed at', report.signedAt === undefined ? 'unknown' : withAge(report.signedAt, now)],
  ];
  const facts = rows.map(([name, value]) => `${name.padEnd(16)} ${value}`);
  const why = whys(report).map((sentence, index) => `${(index === 0 ? 'why' : '').padEnd(16)} ${sentence}`);
  return [table, '', ...facts, ...(why.length > 0 ? ['', ...why] : [])].join('\n');
}

function withAge(time: string, now: number): string {
  const ageMs = now - Date.parse(time);
  return `${time}  (${ageMs < 0 ? `in ${ms(-ageMs)}` : `${ms(ageMs)} ago`})`;
}

/** Why it is not authentic, the first sentence the most telling. */
export function whys({ mismatch, checks }: Report): string[] {
  if (mismatch) return [...mismatch.causes.map(describeCause), ...mismatch.remains];
  return checks.flatMap(({ result, detail }) => (result === 'failed' && detail !== undefined ? [detail] : []));
}

import type { Report } from './report.js';

/** A report for people to read: a line for each matter, the figures that matter first. */
export function formatReport(report: Report): string {
  const { streams, notifications, requests, handlers } = report;
  const answers = Object.entries(requests.answers).map(([answer, count]) => `${answer} × ${count}`);
  return [
    `run            ${report.run}: seed ${report.seed}, speed ${report.speed}, faults ${report.faults}, fingerprint ${report.fingerprint}`,
    `streams        ${counts({ published: streams.published, ended: streams.ended })}`,
    `notifications  ${counts(notifications)}`,
    `requests       ${counts({
      total: requests.total,
      repeats: requests.repeats,
      'extra repeats': requests.extra,
      'acknowledgements lost': requests.lostAcks,
      'held back': requests.heldBack,
      forged: requests.forged,
      'forged accepted': requests.forgedAccepted,
    })}`,
    `answers        ${answers.join(', ') || 'none'}`,
    ...(handlers.length === 0 ? ['handlers       none recorded what it handled'] : []),
    ...handlers.map(
      (handler) =>
        `handler        ${handler.handler}: ${counts({
          recorded: handler.recorded,
          lost: handler.lost,
          'handled twice': handler.handledTwice,
          'out of order unflagged': handler.outOfOrderUnflagged,
          'out of order flagged': handler.outOfOrderFlagged,
          'flagged in order': handler.flaggedInOrder,
          altered: handler.altered,
          'of other runs': handler.foreign,
          replayed: handler.replayed,
        })}`,
    ),
    ...report.problems.map((problem) => `PROBLEM        ${problem}`),
  ].join('\n');
}

function counts(figures: Record<string, number>): string {
  return Object.entries(figures)
    .map(([name, figure]) => `${figure} ${name}`)
    .join(', ');
}

import type { Sent } from './read-requests.js';

/**
 * Whether the service answered as the contract has it: 2XX for what is authentic, and nothing of the kind for what is
 * forged. After a 5XX the platform sends again; that is no problem where it is accepted then. Gives a sentence for each.
 */
export function checkAnswers(sent: readonly Sent[]): string[] {
  return sent.flatMap((request) => {
    const { number, forged, answer } = request;
    if (isRepeatable(answer) && (forged || isAcceptedLater(request, sent))) return [];
    const expected = forged ? '401' : '200';
    return String(answer) === expected ? [] : [`request #${number}: expected ${expected}; received ${answer}`];
  });
}

/** A 5XX, or no answer at all. */
function isRepeatable(answer: number | string): boolean {
  return typeof answer === 'string' || answer >= 500;
}

function isAcceptedLater({ notification }: Sent, sent: readonly Sent[]): boolean {
  return sent.some((one) => one.notification === notification && !one.forged && one.answer === 200);
}

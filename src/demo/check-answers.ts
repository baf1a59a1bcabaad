import type { Sent } from './send-notifications.js';

/** Whether the sender was told the truth. Gives a sentence for each answer that is another than the contract has it. */
export function checkAnswers(sent: readonly Sent[]): string[] {
  return sent.flatMap((request) => {
    const first = sent.find(({ number }) => number === request.repeatOf);
    const expected = expectedAnswer(request, first);
    const received = describeAnswer(request);
    return received === expected ? [] : [`request #${request.number}: expected ${expected}; received ${received}`];
  });
}

function expectedAnswer(request: Sent, first: Sent | undefined): string {
  if (request.forged) return '401';
  if (first) return `200, a duplicate of ${first.id}`;
  // Sent again after a 5XX it may have been kept the first time.
  return request.tries > 1 && request.duplicate ? describeAnswer({ ...request, status: 200 }) : `200 as new`;
}

function describeAnswer({ status, duplicate, id }: Sent): string {
  if (status !== 200) return String(status);
  return duplicate ? `200, a duplicate of ${id}` : '200 as new';
}

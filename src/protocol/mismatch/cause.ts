/** One thing in which a sender, or something between it and here, departed from the contract. */
export interface Cause {
  /** Short and stable: `base-path`, `query-left-out` … */
  name: string;
  /** What happened, as a clause that begins a sentence in lower case. No secret and no signature in it. */
  finding: string;
  /** What to do about it. */
  remedy: string;
}

/** A cause as one sentence: what happened, and what to do. */
export function describeCause({ finding, remedy }: Cause): string {
  return `${finding}: ${remedy}`;
}

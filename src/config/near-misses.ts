import type { Environment } from './read-value.js';
import type { Setting } from './settings.js';

/** Shorter names are too close to variables of other programs. */
const SHORTEST_GUESS = 6;
const MOST_EDITS = 2;
const UNIT = /_(MS|S|SECS?|SECONDS|MINUTES|MILLISECONDS|BYTES)$/;

/** One line for each variable that nobody reads and that looks as if one of ours was meant. */
export function nearMisses(env: Environment, settings: readonly Setting[]): string[] {
  const known = settings.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
  const lines: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!value || known.includes(name)) continue;
    const plain = settings.find((setting) => !setting.secret && name === `${setting.name}_FILE`);
    if (plain) {
      lines.push(`${name} is not read: only secrets may come from a file. Set ${plain.name} itself.`);
      continue;
    }
    const meant = closest(name, known);
    if (meant !== undefined) lines.push(`${name} is not read: did you mean ${meant}?`);
  }
  return lines;
}

function closest(name: string, known: readonly string[]): string | undefined {
  if (name.length < SHORTEST_GUESS) return undefined;
  const upper = name.toUpperCase();
  const stem = upper.replace(UNIT, '');
  const sameStem = known.find(
    (candidate) => candidate === upper || (UNIT.test(candidate) && candidate.replace(UNIT, '') === stem),
  );
  if (sameStem !== undefined) return sameStem;
  return known
    .filter((candidate) => candidate.length >= SHORTEST_GUESS && candidate[0] === upper[0])
    .map((candidate) => ({ candidate, edits: editDistance(upper, candidate) }))
    .filter(({ edits }) => edits <= MOST_EDITS)
    .sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** Levenshtein's: insertions, deletions and substitutions. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, (previous[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    previous = row;
  }
  return previous[b.length] as number;
}

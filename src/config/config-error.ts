/** What is wrong with one variable, in words that hold no secret. */
export interface ConfigProblem {
  /** The variable. */
  name: string;
  /** One line: the name, expected, received, what to do. */
  message: string;
}

/** The configuration cannot be used; `problems` has every reason, the message one line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super([`the configuration has ${count}:`, ...problems.map(({ message }) => `  ${message}`)].join('\n'));
    this.problems = problems;
  }
}

/** `name: expected …, received …. What to do.` */
export function problem(name: string, expected: string, received: string, remedy: string): ConfigProblem {
  return { name, message: `${name}: expected ${expected}, received ${received}. ${remedy}` };
}

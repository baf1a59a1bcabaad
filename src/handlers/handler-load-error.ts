/** What is wrong with one file or folder of `HANDLERS`. */
export interface HandlerProblem {
  file: string;
  problem: string;
  /** What was thrown, where something was. */
  cause?: unknown;
}

/** Handlers that cannot be loaded: every file that is wrong, with what is wrong with it. `cause` is what they threw. */
export class HandlerLoadError extends Error {
  override readonly name = 'HandlerLoadError';
  readonly problems: readonly HandlerProblem[];

  constructor(problems: readonly HandlerProblem[]) {
    const lines = problems.map(({ file, problem }) => `${file}: ${problem}`.replaceAll('\n', '\n    '));
    const causes = problems.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
    const cause = causes.length > 1 ? new AggregateError(causes, 'several handler files failed') : causes[0];
    super(
      lines.length === 1
        ? `cannot load the handlers: ${lines[0]}`
        : `cannot load the handlers: ${lines.length} problems\n  ${lines.join('\n  ')}`,
      cause === undefined ? undefined : { cause },
    );
    this.problems = problems;
  }
}

/** Exit codes of every command: 1, it failed; 2, it was called in a way it cannot take. */
export type ExitCode = 1 | 2;

/** Ends a command with one line on standard error and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

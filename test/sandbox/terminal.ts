import type { Terminal } from '../../src/commands/program.js';

/** A terminal that keeps what it is told. */
export interface TestTerminal extends Terminal {
  stdout(): string;
  stderr(): string;
  /** Resolves with the match when the output has it. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
}

export function createTestTerminal(env: Record<string, string> = {}, isTty = false): TestTerminal {
  const out: string[] = [];
  const err: string[] = [];
  const waiting: (() => void)[] = [];
  const said = () => {
    for (const look of waiting.splice(0)) look();
  };
  return {
    env,
    isTty,
    out: (text) => {
      out.push(text);
      said();
    },
    err: (text) => {
      err.push(text);
      said();
    },
    stdout: () => out.join('\n'),
    stderr: () => err.join('\n'),
    shows(pattern) {
      return new Promise((resolve) => {
        const look = () => {
          const match = pattern.exec([...out, ...err].join('\n'));
          if (match) resolve(match);
          else waiting.push(look);
        };
        look();
      });
    },
  };
}

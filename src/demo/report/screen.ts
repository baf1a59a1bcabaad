import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';

/** Where the demo prints. */
export interface Screen {
  print(text?: string): void;
  colors: ReturnType<typeof pc.createColors>;
}

/** Standard output; with colours where it is a terminal that has some, plain otherwise. */
export const standardOutput: Screen = {
  print: (text = '') => void process.stdout.write(`${text}\n`),
  colors: pc.createColors(process.stdout.isTTY === true && pc.isColorSupported),
};

export function printTitle(title: string, explanation: string, { print, colors }: Screen): void {
  print(colors.bold(title) + (explanation && `  ${colors.dim(explanation)}`));
}

const COLUMNS = 100;

/** Two columns to the right, or more; lines are broken at spaces where a terminal of 100 columns would break them. */
export function indent(text: string, depth = 1): string {
  const margin = '  '.repeat(depth);
  return text
    .split('\n')
    .flatMap((line) => wrap(line, COLUMNS - margin.length))
    .map((line) => line && margin + line)
    .join('\n');
}

function wrap(line: string, width: number): string[] {
  const at = line.lastIndexOf(' ', width);
  if (stripVTControlCharacters(line).length <= width || at === -1) return [line];
  return [line.slice(0, at), ...wrap(line.slice(at + 1), width)];
}

/** Seconds from one time to another, as the demo shows them. */
export function seconds(from: number, to: number): string {
  return ((to - from) / 1000).toFixed(3);
}

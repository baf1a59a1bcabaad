/** A part of the page that something is to be done for. */
export type Step =
  /** A file to save: its name, and what is in it. */
  | { file: string; text: string }
  /** Commands for a shell, `Ctrl-C` first where the page says so; what the last one shows. */
  | { shell: string; interrupt: boolean; lines: string[]; shows: string | undefined };

/** What the page tells a reader to do, in order: its fenced blocks, an output with the commands above it. */
export function readTour(page: string): Step[] {
  const steps: Step[] = [];
  for (const [, language, block = ''] of page.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const [first = '', ...rest] = block.trimEnd().split('\n');
    const last = steps.at(-1);
    if (language === 'js') {
      steps.push({ file: first.replace('// ', ''), text: block });
    } else if (language === 'sh') {
      const [, shell, interrupt] = /^# (\w+) shell(: press Ctrl-C)?/.exec(first) ?? [];
      if (!shell) throw new Error(`which shell is this for? ${first}`);
      steps.push({ shell, interrupt: interrupt !== undefined, lines: rest, shows: undefined });
    } else if (language === 'text' && last && 'shell' in last && last.shows === undefined) {
      last.shows = block.trimEnd();
    } else {
      throw new Error(`what is to be done with this? ${first}`);
    }
  }
  return steps;
}

/** Whether an output has what the page shows: `…` is anything within a line, alone on a line any lines. */
export function isShown(shows: string, output: string): boolean {
  const lines = shows
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(literally).join('.*')} *\\n`));
  return new RegExp(`^${lines.join('')}`, 'm').test(`${output}\n`);
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

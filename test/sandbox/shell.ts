/** A command of a ```sh block: its words, where its output goes, and the comment behind it. */
export interface ShellCommand {
  line: string;
  words: string[];
  redirect?: string;
  comment?: string;
}

/** The commands of all ```sh blocks of a Markdown text: one on each line. */
export function shellCommands(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split('\n').filter((line) => line.trim() !== ''));
}

/** Splits a line as a POSIX shell does: quotes, variables, `> file`, `# comment`. No more than documentation needs. */
export function parseShell(line: string, env: Record<string, string>): ShellCommand {
  const command: ShellCommand = { line, words: [] };
  const token = /\s*(?:#\s*(?<comment>.*)|(?<redirect>>)|(?<word>(?:'[^']*'|"[^"]*"|[^\s'"#>]|(?<=\S)#)+))/gy;
  let redirected = false;
  for (const { groups = {} } of line.matchAll(token)) {
    if (groups.comment !== undefined) command.comment = groups.comment;
    else if (groups.redirect) redirected = true;
    else if (redirected) command.redirect = groups.word ?? '';
    else command.words.push(expand(groups.word ?? '', env));
  }
  return command;
}

function expand(word: string, env: Record<string, string>): string {
  const variables = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_whole, name: string) => {
      const value = env[name];
      if (value === undefined) throw new Error(`$${name} is not set`);
      return value;
    });
  return word.replaceAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g, (_whole, single, double, bare) =>
    single === undefined ? variables(double ?? bare) : single,
  );
}

/** Does what `curl` does with the flags that the documentation uses; an unknown one is an error. */
export async function curl(args: string[]): Promise<{ status: number; body: string }> {
  const headers = new Headers();
  const data: string[] = [];
  let [method, url, get] = ['', '', false];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const value = () => args[++index] ?? '';
    if (arg === '-X') method = value();
    else if (arg === '-G') get = true;
    else if (arg === '-d') data.push(value());
    else if (arg === '--data-urlencode')
      data.push(value().replace(/=(.*)$/, (_all, text) => `=${encodeURIComponent(text)}`));
    else if (arg === '-u') headers.set('Authorization', `Basic ${btoa(value())}`);
    else if (arg === '-H') headers.set(...(value().split(/: (.*)/, 2) as [string, string]));
    else if (/^https?:/.test(arg)) url = arg;
    else throw new Error(`curl: what is ${arg}?`);
  }
  const body = get || data.length === 0 ? null : data.join('&');
  if (body !== null && !headers.has('Content-Type')) headers.set('Content-Type', 'application/x-www-form-urlencoded');
  const target = get ? `${url}?${data.join('&')}` : url;
  const answer = await fetch(target, { method: method || (body === null ? 'GET' : 'POST'), headers, body });
  return { status: answer.status, body: await answer.text() };
}

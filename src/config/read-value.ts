import { readFileSync } from 'node:fs';
import { type ConfigProblem, problem } from './config-error.js';
import type { Setting } from './settings.js';

export type Environment = Record<string, string | undefined>;

/** The text of a setting, and the variable that it came from. */
export type ReadValue = { text: string; from: string } | { text: undefined } | { problem: ConfigProblem };

/** The text of a setting: its variable, or the file that `<name>_FILE` names for a secret. An empty one is not set. */
export function readValue(setting: Setting, env: Environment): ReadValue {
  const { name } = setting;
  const text = env[name] || undefined;
  const file = setting.secret ? env[`${name}_FILE`] || undefined : undefined;
  if (file === undefined) return text === undefined ? { text } : { text, from: name };
  if (text !== undefined) {
    return {
      problem: problem(name, `${name} or ${name}_FILE`, 'both', 'Leave one of them out.'),
    };
  }
  return readSecretFile(`${name}_FILE`, file);
}

/** Editors and `echo` end a file with a newline that belongs to no secret. */
function readSecretFile(name: string, file: string): ReadValue {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    return {
      problem: problem(
        name,
        'the path of a file that can be read',
        `${JSON.stringify(file)} (${reason})`,
        'Check that it exists and that this user may read it.',
      ),
    };
  }
  if (text !== '') return { text, from: name };
  return {
    problem: problem(
      name,
      'a file that holds the secret',
      `${JSON.stringify(file)}, which is empty`,
      'Write it there.',
    ),
  };
}

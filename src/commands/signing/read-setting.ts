import type { z } from 'zod';
import { problem } from '../../config/config-error.js';
import { loadEnvFile } from '../../config/load-env-file.js';
import { type Environment, readValue } from '../../config/read-value.js';
import { type Setting, settings } from '../../config/settings.js';
import { CommandError } from '../command-error.js';

type Settings = typeof settings;
/** Undefined only where it is not set and has no default. */
type Value<Key extends keyof Settings> = Settings[Key] extends { default: string }
  ? z.output<Settings[Key]['schema']>
  : z.output<Settings[Key]['schema']> | undefined;

/** The environment, with the variables of `--env-file` where it is given. */
export function readEnvironment(envFile: string | undefined, env: Environment): Environment {
  if (envFile === undefined) return env;
  try {
    return loadEnvFile(envFile, env);
  } catch (cause) {
    throw new CommandError((cause as Error).message, 2, { cause });
  }
}

/** One setting by itself: what is wrong with the others is no concern of a command that does not use them. */
export function readSetting<Key extends keyof Settings>(key: Key, env: Environment): Value<Key> {
  const setting: Setting = settings[key];
  const read = readValue(setting, env);
  if ('problem' in read) throw new CommandError(read.problem.message, 2);
  const text = read.text ?? setting.default;
  if (text === undefined) return undefined as Value<Key>;
  const parsed = setting.schema.safeParse(text);
  if (parsed.success) return parsed.data as Value<Key>;
  const expected = parsed.error.issues[0]?.message ?? 'another value';
  const received = setting.secret ? 'a value that is not shown here' : JSON.stringify(text);
  const name = 'from' in read ? read.from : setting.name;
  throw new CommandError(problem(name, expected, received, 'Correct it.').message, 2);
}

/**
 * The secrets of `--secret` (each may be several, separated by commas), else those of the environment, newest first; at
 * least one. The flag is read here because errors of the command line's parser repeat the value that they refuse.
 */
export function readSecrets(flags: readonly string[] | undefined, env: Environment): [string, ...string[]] {
  const [first, ...others] = flags?.flatMap(parseSecrets) ?? readSetting('secrets', env) ?? [];
  if (first !== undefined) return [first, ...others];
  throw new CommandError('expected a secret: set APPLICATION_SECRET or APPLICATION_SECRET_FILE, or use --secret', 2);
}

function parseSecrets(text: string): string[] {
  const parsed = settings.secrets.schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CommandError(`--secret: expected ${parsed.error.issues[0]?.message}`, 2);
}

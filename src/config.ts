import type { z } from 'zod';
import { ConfigError, type ConfigProblem, problem } from './config/config-error.js';
import { contradictions } from './config/contradictions.js';
import { nearMisses } from './config/near-misses.js';
import { type Environment, readValue } from './config/read-value.js';
import { type Setting, settings } from './config/settings.js';

type Settings = typeof settings;
type Values = {
  readonly [Key in keyof Settings]: Settings[Key] extends { default: string }
    ? z.output<Settings[Key]['schema']>
    : z.output<Settings[Key]['schema']> | undefined;
};

/** The configuration, checked; units are in the names. A setting without a default is undefined where it is not set. */
export interface Config extends Omit<Values, 'secrets'> {
  /** The application's secrets, newest first; empty for a worker that has none. */
  readonly secrets: readonly string[];
  /** One line for each thing that is allowed but looks like a mistake. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration out of the environment. An empty variable counts as not set; `<name>_FILE` may replace a
 * secret. Throws a {@link ConfigError} that lists every problem.
 *
 * `receives`: whether the caller will verify notifications, and so needs `APPLICATION_SECRET`; default: what `ROLE` says.
 */
export function readConfig(env: Environment, options: { receives?: boolean } = {}): Config {
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries<Setting>(settings)) {
    const result = parse(setting, env);
    if ('problem' in result) problems.push(result.problem);
    else values[key] = result.value;
  }
  if ('secrets' in values) values.secrets ??= [];
  const config = values as Partial<Config>;
  const receives = options.receives ?? config.role !== 'worker';
  problems.push(...contradictions(config, receives));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...config, warnings: warnings(config as Config, env) }) as Config;
}

function parse(setting: Setting, env: Environment): { value: unknown } | { problem: ConfigProblem } {
  const read = readValue(setting, env);
  if ('problem' in read) return read;
  const text = read.text ?? setting.default;
  if (text === undefined) return { value: undefined };
  const parsed = setting.schema.safeParse(text);
  if (parsed.success) return { value: parsed.data };
  const name = 'from' in read ? read.from : setting.name;
  const expected = parsed.error.issues[0]?.message ?? 'another value';
  const received = setting.secret ? 'a value that is not shown here' : JSON.stringify(text);
  return { problem: problem(name, expected, received, remedy(setting)) };
}

function remedy(setting: Setting): string {
  if (setting.required) return 'Correct it.';
  return setting.default ? `Correct it, or leave it out for ${setting.default}.` : 'Correct it, or leave it out.';
}

function warnings(config: Config, env: Environment): string[] {
  const lines = nearMisses(env, Object.values(settings));
  if (config.timestampToleranceS === 0 && config.role !== 'worker') {
    lines.push('TIMESTAMP_TOLERANCE_S is 0: a recorded request is taken for new once DEDUPE_WINDOW_S has passed.');
  }
  return lines;
}

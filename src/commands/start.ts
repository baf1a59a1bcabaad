import { Command } from 'commander';
import { loadEnvFile } from '../config/load-env-file.js';
import { readConfig } from '../config.js';
import { createLogger } from '../logger.js';
import { runService } from '../main.js';
import { CommandError } from './command-error.js';
import type { Terminal } from './program.js';

/** `sluice start`: the service, until a signal. */
export function startCommand(terminal: Terminal): Command {
  return new Command('start')
    .description('Runs the service, configured by the environment.')
    .option('--env-file <file>', 'read variables from a file too; the environment wins')
    .addHelpText('after', '\nExample:\n  APPLICATION_SECRET=… sluice start\n  sluice start --env-file .env')
    .action(async ({ envFile }: { envFile?: string }) => {
      const env = envFile === undefined ? terminal.env : loadEnvFile(envFile, terminal.env);
      const config = readConfig(env);
      const log = createLogger({ level: config.logLevel });
      const exitCode = await runService(config, log);
      if (exitCode !== 0) throw new CommandError('the service could not go on: see the log', exitCode);
      // What a library still holds open must not keep a stopped service alive.
      process.exit(0);
    });
}

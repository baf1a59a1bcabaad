import { Command } from 'commander';
import { manifestCommand } from './platform/manifest.js';
import { publishCommand } from './platform/publish.js';
import { registerCommand } from './platform/register.js';
import { restreamCommand } from './platform/restream.js';
import type { PlatformCommandSeams } from './platform/settings.js';
import { tokenCommand } from './platform/token.js';
import type { Terminal } from './program.js';

/** `sluice platform …`: the platform's operations, and the tokens they need. */
export function platformCommand(terminal: Terminal, seams: PlatformCommandSeams = {}): Command {
  return new Command('platform')
    .description("Call the platform's operations, and make edge tokens for them")
    .addCommand(registerCommand(terminal, seams))
    .addCommand(publishCommand(terminal, seams))
    .addCommand(manifestCommand(terminal, seams))
    .addCommand(restreamCommand(terminal, seams))
    .addCommand(tokenCommand(terminal, seams));
}

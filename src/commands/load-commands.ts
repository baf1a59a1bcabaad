import type { Command } from 'commander';
import type { Terminal } from './program.js';

type Factory = (terminal: Terminal) => Command;

/** Every command, loaded when it is asked for: none should wait for what another one needs. */
const COMMANDS: Record<string, () => Promise<Factory>> = {
  start: async () => (await import('./start.js')).startCommand,
  send: async () => (await import('./send.js')).sendCommand,
  sign: async () => (await import('./sign.js')).signCommand,
  verify: async () => (await import('./verify.js')).verifyCommand,
  failed: async () => (await import('./failed.js')).failedCommand,
  handlers: async () => (await import('./handlers.js')).handlersCommand,
  platform: async () => (await import('./platform.js')).platformCommand,
  sandbox: async () => (await import('./sandbox.js')).sandboxCommand,
};

/** The command of this name; all of them where there is none of it: for `--help`, and to say what there is. */
export async function loadCommands(name: string | undefined, terminal: Terminal): Promise<Command[]> {
  const named = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const commands: Command[] = [];
  for (const load of named ? [named] : Object.values(COMMANDS)) commands.push((await load())(terminal));
  return commands;
}

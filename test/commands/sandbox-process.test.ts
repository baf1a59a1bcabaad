import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('./sandbox-program.ts', import.meta.url));
const jiti = fileURLToPath(new URL('../../node_modules/jiti/lib/jiti-cli.mjs', import.meta.url));

describe('sluice sandbox as a process', () => {
  let child: ReturnType<typeof spawn> | undefined;
  afterEach(() => void child?.kill('SIGKILL'));

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with its report and exit code 0 on %s', async (signal) => {
    child = spawn(process.execPath, [jiti, program, 'sandbox', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let said = '';
    for await (const chunk of child.stdout ?? []) {
      if (!said.includes('EGRESS_TOKEN') && `${said}${chunk}`.includes('EGRESS_TOKEN')) child.kill(signal);
      said += String(chunk);
    }
    expect(await exited).toEqual([0, null]);
    expect(said).toMatch(/\nrun {12}[0-9a-f]{8}: seed 1,/);
  });
});

import type { Sandbox } from '../../sandbox/sandbox.js';
import { DEFAULT_SETTINGS } from '../../sandbox/settings.js';

const TOKENS_LAST_MS = 24 * 3_600_000;

/** What a person who starts a sandbox needs to use it: lines to paste into a shell. */
export function announcement(sandbox: Sandbox, brand: string): string {
  const { seed, speed, faults, endpoint } = sandbox.info();
  const capabilities = ['publish-uri', 'streaming', 'on-demand', 'replay'];
  const token = sandbox.createToken({ capabilities, expiresInMs: TOKENS_LAST_MS });
  const egress = sandbox.createToken({ type: 'stream', capabilities: ['egress'], expiresInMs: TOKENS_LAST_MS });
  // A secret that somebody chose is not shown to those who look on.
  const secret =
    sandbox.secret === DEFAULT_SETTINGS.secret
      ? `export APPLICATION_SECRET=${sandbox.secret}`
      : '# APPLICATION_SECRET is what --secret was given';
  return [
    `The platform's sandbox is at ${sandbox.baseUrl} (seed ${seed}, speed ${speed}, faults ${faults}).`,
    endpoint ? `Notifications go to ${endpoint}` : 'Notifications go nowhere until an endpoint is registered.',
    'To use it:',
    `  export PLATFORM_URL=${sandbox.baseUrl}`,
    `  export SANDBOX_URL=${sandbox.baseUrl}`,
    `  export APPLICATION_ID=${quote(sandbox.applicationId)}`,
    `  ${secret}`,
    ...(brand === DEFAULT_SETTINGS.brand ? [] : [`  export HEADER_BRAND=${brand}`]),
    `  export SLUICE_TOKEN=${token}  # ${capabilities.join(', ')}; 24 h`,
    `  export EGRESS_TOKEN=${egress}  # restream; 24 h`,
  ].join('\n');
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

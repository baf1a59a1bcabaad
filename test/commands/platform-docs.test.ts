import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  json,
  playlist,
  type RecordedAnswer,
  type RecordedPlatform,
  type RecordedRequest,
  startRecordedPlatform,
} from '../platform/recorded-platform.js';
import { type Env, runPlatform, STREAM } from './run-platform.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PRIMARY = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=4160000,RESOLUTION=1920x1080\nxhd.m3u8?edgeAuthToken=t\n';

/** Answers as the platform would. */
function respond({ target, body }: RecordedRequest): RecordedAnswer {
  if (target.endsWith('/callback')) {
    const { protocol, host, path, method = 'POST' } = JSON.parse(body).callback;
    return json(200, { status: 'ok', endpoint: `${method} ${protocol}://${host}:443${path}` });
  }
  if (target.includes('/replay/primary.m3u8?')) return playlist(PRIMARY);
  return target.includes('/replay/') ? playlist('#EXTM3U\n#EXTINF:4,\na.ts\n#EXTINF:4,\nb.ts\n') : STREAM;
}

/** The contents of the page's fenced blocks of a language. */
async function blocks(language: string): Promise<string[]> {
  const page = await readFile(join(ROOT, 'docs/platform-client.md'), 'utf8');
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code ?? '');
}

/** The words of `sluice <words…>`: the page has neither quotes nor variables in its commands. */
function words(command: string): string[] {
  const [program, ...rest] = command.split(' ');
  if (program !== 'sluice' || /["'`$\\|;&<>*]/.test(command)) throw new Error(`cannot run in a test: ${command}`);
  return rest;
}

describe('docs/platform-client.md', () => {
  let platform: RecordedPlatform;
  let env: Env;

  beforeEach(async () => {
    platform = await startRecordedPlatform();
    platform.respond(respond);
    env = { PLATFORM_URL: platform.url, APPLICATION_ID: 'my-application', APPLICATION_SECRET: 'my-secret' };
  });
  afterEach(() => platform.close());

  it('shows commands that run, each as it stands, without a warning', async () => {
    const lines = (await blocks('sh')).flatMap((block) => block.trim().split('\n'));
    const run = new Set<string | undefined>();
    for (const line of lines) {
      const [, variable, inner] = /^export (\w+)="\$\((.*)\)"$/.exec(line) ?? [];
      const command = words(inner ?? line);
      const { code, out, err } = await runPlatform(command, env);
      expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
      expect(out).not.toBe('');
      if (variable) env[variable] = out;
      run.add(command[1]);
    }
    expect([...run].sort()).toEqual(['manifest', 'publish', 'register', 'restream', 'token']);
    const sent = lines.filter((line) => line.startsWith('sluice '));
    const variants = lines.filter((line) => line.includes('--variant'));
    expect(platform.requests).toHaveLength(sent.length + variants.length);
  });

  it('shows code that runs', async () => {
    const [code, ...others] = await blocks('ts');
    expect(others).toEqual([]);
    const folder = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
    try {
      await writeFile(join(folder, 'page.ts'), code ?? '');
      const jiti = join(ROOT, 'node_modules/jiti/lib/jiti-cli.mjs');
      const alias = JSON.stringify({ sluice: join(ROOT, 'src/index.ts') });
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [jiti, join(folder, 'page.ts')], {
        env: { ...process.env, ...env, NODE_OPTIONS: '', JITI_ALIAS: alias, JITI_FS_CACHE: 'false' },
      });
      expect(stderr).toBe('');
      expect(stdout).toBe('POST https://callbacks.example.com:443/callback\n{ width: 1920, height: 1080 } 2\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Reads `+ pid` and `- pid`. When its input ends, as it does when its parent dies, it ends what is left, and the private
 * servers that killed services have left in the folder; then it removes the folder.
 */
const SCRIPT = `trap "" INT TERM HUP
left=" "
while read -r sign pid; do
  case "$sign" in
    +) left="$left$pid " ;;
    -) left="\${left%% $pid *} \${left#* $pid }" ;;
  esac
done
kill -9 $left 2>/dev/null
for record in "$1"/*/redis/server.json; do
  pid=$(sed -n 's/.*"server":{"pid":\\([0-9]*\\).*/\\1/p' "$record" 2>/dev/null)
  # Where it can be seen: its number may be another's by now.
  if [ ! -d /proc/self ] || grep -q redis "/proc/$pid/cmdline" 2>/dev/null; then kill -9 $pid 2>/dev/null; fi
done
rm -rf "$1"`;

/** Ends the processes of a test, and removes their folder, even where the test itself was killed. */
export interface ServiceGuard {
  watch(process: { pid: number; ended: Promise<unknown> }): void;
  stop(): Promise<void>;
}

export function startServiceGuard(dir: string): ServiceGuard {
  const guard = spawn('sh', ['-c', SCRIPT, 'sh', dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.stdin.on('error', () => {});
  return {
    watch({ pid, ended }) {
      guard.stdin.write(`+ ${pid}\n`);
      // Its number may be given to another.
      ended.then(
        () => guard.stdin.writable && guard.stdin.write(`- ${pid}\n`),
        () => {},
      );
    },
    async stop() {
      const exit = once(guard, 'exit');
      guard.stdin.end();
      await exit;
    },
  };
}

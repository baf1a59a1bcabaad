import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Reads `+ pid` and `- pid`; when its input ends, as it does when its parent dies, it ends what is left. */
const SCRIPT = `trap "" INT TERM HUP
left=" "
while read -r sign pid; do
  case "$sign" in
    +) left="$left$pid " ;;
    -) left="\${left%% $pid *} \${left#* $pid }" ;;
  esac
done
kill -9 $left 2>/dev/null
true`;

/** Ends processes that a test left running, even where the test itself was killed. */
export interface ServiceGuard {
  watch(process: { pid: number; ended: Promise<unknown> }): void;
  stop(): Promise<void>;
}

export function startServiceGuard(): ServiceGuard {
  const guard = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
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

import { Argument, type Command, Option } from 'commander';
import { OPERATIONS } from '../../sandbox/http/prepared-answers.js';
import { parseDuration } from '../parse-duration.js';
import type { Terminal } from '../program.js';
import { callSandbox } from './call-sandbox.js';
import { type ControlFlags, controlCommand, printData } from './control-command.js';
import { parseCount } from './parse-flags.js';

interface AnswerFlags extends ControlFlags {
  status?: string;
  notJson?: boolean;
  times: number;
  delay?: number;
}

export function answerCommand(terminal: Terminal): Command {
  return controlCommand(terminal, 'answer', 'Make the next request of an operation get another answer')
    .addArgument(new Argument('<operation>').choices(['any', ...OPERATIONS]))
    .addArgument(new Argument('<http>', 'HTTP code, 200 to 599').argParser(parseCount(200)))
    .option('--status <name>', 'status in the JSON body (default: that of the contract for the code)')
    .option('--not-json', 'a body that is not JSON')
    .addOption(new Option('--times <n>', 'how many requests').argParser(parseCount(1)).default(1))
    .addOption(new Option('--delay <time>', 'answer so much later').argParser(parseDuration({ zero: true })))
    .addHelpText('after', '\nExample: sluice sandbox answer publish 503 --times 2')
    .action(async (operation: string, http: number, flags: AnswerFlags) => {
      const { status, notJson, times, delay: delayMs } = flags;
      const body = { http, status, notJson, times, delayMs, ...(operation === 'any' ? {} : { operation }) };
      const prepared = (await callSandbox(flags.sandbox, 'POST', '/sandbox/answers', body)) as object;
      const requests = times === 1 ? 'the next request' : `the next ${times} requests`;
      printData(terminal, flags, prepared, () => `${http} is the answer to ${requests} (${operation})`);
    });
}

import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';

export interface LoggerOptions {
  /** pino's: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. */
  level: string;
  /** Lines for a person instead of JSON; default: when standard output is a terminal. */
  pretty?: boolean;
}

/** Fields that are never written, at the top of a line … */
const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'cookie',
  'secret',
  'secrets',
  'sharedSecret',
  'applicationSecret',
  'applicationSecrets',
  'forwardSecret',
  'token',
  'adminToken',
  'edgeAuthToken',
  'password',
  'APPLICATION_SECRET',
  'FORWARD_SECRET',
  'ADMIN_TOKEN',
];
/** … and in these objects. (A wildcard instead would make every line four times as expensive.) */
const PARENTS = ['headers', 'config', 'options', 'env', 'redis', 'request.headers', 'req.headers'];

const CENSOR = '[redacted]';
/** The password in front of a URL's host, wherever it stands: in a field, a message, an error's stack. */
const URL_PASSWORD = /(:\/\/[^\s:@/"]*:)[^\s@/"]+@/g;

/**
 * The service's log: one JSON object a line on standard output, or lines for a person on a terminal; times in ISO 8601.
 *
 * Each part writes through `log.child({ component })` and puts what it knows into fields: `log.info({ id, stream }, 'text')`.
 * Bodies, signatures and secrets are no fields. Redaction is the net below that, for what gets into a line by mistake.
 */
export function createLogger(options: LoggerOptions, destination?: DestinationStream): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, ...PARENTS.map((parent) => `${parent}.${field}`)]),
      censor: CENSOR,
    },
    hooks: {
      streamWrite: (line: string) => (line.includes('://') ? line.replace(URL_PASSWORD, `$1${CENSOR}@`) : line),
    },
  };
  const pretty = options.pretty ?? process.stdout.isTTY === true;
  // Synchronous: lines keep their order, and none is lost, when the process ends.
  const lines = destination ?? pino.destination({ dest: 1, sync: true });
  return pino(settings, pretty ? prettyLines(lines, destination === undefined) : lines);
}

/** Formats each line as it is written, so that none is lost when the process ends. */
function prettyLines(destination: DestinationStream, colorize: boolean): DestinationStream {
  const format = prettyFactory({ colorize });
  return { write: (line) => destination.write(format(line)) };
}

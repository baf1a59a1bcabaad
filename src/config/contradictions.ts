import { isIPv4 } from 'node:net';
import type { Config } from '../config.js';
import { type ConfigProblem, problem } from './config-error.js';

/** What each setting allows by itself, but not together with others. Only settings that could be read are there. */
export function contradictions(config: Partial<Config>, receives: boolean): ConfigProblem[] {
  const { secrets, timestampToleranceS, dedupeWindowS, forwardUrl, forwardSecret } = config;
  const { adminHost, adminToken, port, adminPort } = config;
  const problems: ConfigProblem[] = [];
  if (receives && 'secrets' in config && secrets?.length === 0) {
    problems.push(
      problem(
        'APPLICATION_SECRET',
        "the application's secret",
        'nothing',
        "Set it, or APPLICATION_SECRET_FILE; the platform's account page has it. ROLE=worker needs none.",
      ),
    );
  }
  if (timestampToleranceS !== undefined && dedupeWindowS !== undefined && timestampToleranceS > dedupeWindowS) {
    problems.push(
      problem(
        'DEDUPE_WINDOW_S',
        `at least TIMESTAMP_TOLERANCE_S (${timestampToleranceS})`,
        String(dedupeWindowS),
        'Raise it, or lower TIMESTAMP_TOLERANCE_S: between the two, a recorded request would be taken for new.',
      ),
    );
  }
  if (forwardUrl !== undefined && 'forwardSecret' in config && forwardSecret === undefined) {
    problems.push(
      problem(
        'FORWARD_SECRET',
        'a secret, as FORWARD_URL is set',
        'nothing',
        'Set it, or FORWARD_SECRET_FILE; `openssl rand -base64 32` makes one.',
      ),
    );
  }
  if (adminHost !== undefined && !isLoopback(adminHost) && 'adminToken' in config && adminToken === undefined) {
    problems.push(
      problem(
        'ADMIN_TOKEN',
        `a token, as ADMIN_HOST is ${adminHost}`,
        'nothing',
        'Set it, or ADMIN_TOKEN_FILE, or leave ADMIN_HOST out: then only this machine reaches the admin listener.',
      ),
    );
  }
  if (receives && port !== undefined && port !== 0 && port === adminPort) {
    problems.push(problem('ADMIN_PORT', 'another port than PORT', String(adminPort), 'Change one of them.'));
  }
  return problems;
}

function isLoopback(host: string): boolean {
  return host === '::1' || host.toLowerCase() === 'localhost' || (isIPv4(host) && host.startsWith('127.'));
}

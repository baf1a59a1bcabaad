/** Which settings name the address that a listener is to have. */
export interface ListenSettings {
  port: string;
  host: string;
}

/** What keeps a listener from its address, in one line that names the setting to change; `cause` is what the system said. */
export function describeListenError(
  cause: unknown,
  settings: ListenSettings,
  { port, host }: { port: number; host: string },
): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  const say = (problem: string) => new Error(problem, { cause });
  if (code === 'EADDRINUSE') {
    return say(
      `${settings.port}: expected a free port, received ${port}, where another process listens. End it, or set another.`,
    );
  }
  if (code === 'EACCES') {
    return say(`${settings.port}: expected a port that this user may open, received ${port}. Set one from 1024 on.`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return say(
      `${settings.host}: expected an address of this machine, received ${host}. 0.0.0.0 stands for all of them.`,
    );
  }
  return say(`cannot listen on ${host}, port ${port}: ${message}`);
}

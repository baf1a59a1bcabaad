/** Aborted when the process is asked to end (SIGINT, SIGTERM). Asked a second time, it ends at once. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return controller.signal;
}

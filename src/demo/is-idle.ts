/**
 * Whether a service has nothing to do, by its own metrics: no job held, waiting, running, or waiting for another attempt.
 * From then on nothing more can come, unless a person replays what has failed.
 */
export async function isIdle(adminPort: number, signal: AbortSignal): Promise<boolean> {
  // A job that changes its place while the queues are counted may be missed once.
  return (await looksIdle(adminPort, signal)) && (await looksIdle(adminPort, signal));
}

async function looksIdle(adminPort: number, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`, { signal });
  const jobs = (await response.text()).matchAll(
    /^sluice_queue_jobs\{[^}]*state="(?:waiting|active|delayed)"\} (\d+)$/gm,
  );
  const counts = [...jobs].map(([, count]) => Number(count));
  // While Redis is away there are none.
  return counts.length > 0 && counts.every((count) => count === 0);
}

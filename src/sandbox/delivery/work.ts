/** What is still to come: events that are due, notifications that are on their way. */
export interface Work {
  /** Something more is to come; call what it gives when it is done (more than once does no harm). */
  begin(): () => void;
  /** Resolves when nothing is to come any more; at once where nothing is. */
  settled(): Promise<void>;
  /** Nothing goes on: whoever waits is told so by a rejection. */
  abandon(): void;
}

export function createWork(): Work {
  let open = 0;
  const waiting: { resolve: () => void; reject: (problem: Error) => void }[] = [];
  return {
    begin() {
      open += 1;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        open -= 1;
        if (open > 0) return;
        for (const waiter of waiting.splice(0)) waiter.resolve();
      };
    },
    settled() {
      if (open === 0) return Promise.resolve();
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    abandon() {
      const problem = new Error('the sandbox was closed before everything was delivered');
      for (const waiter of waiting.splice(0)) waiter.reject(problem);
    },
  };
}

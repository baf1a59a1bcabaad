/** The handlers of examples/handlers, and the kinds that each of them is to get. */
export const SUBSCRIPTIONS: Readonly<Record<string, '*' | readonly string[]>> = {
  catalogue: ['started', 'ended'],
  notify: ['live'],
  archive: ['ended', 'on-demand'],
  audit: '*',
};

/** What is published, as `sandbox#1.demo` and so on. */
export const PUBLISHED = ['cup-final', 'keynote', 'concert'] as const;

/**
 * How the platform behaves: three short lives of few notifications each, at twenty times the speed. By this seed every
 * fault comes up in them at least once, and every stream is out of order.
 */
export const PLATFORM = {
  run: 'demo',
  seed: 408,
  faults: 'reorder=0.4,repeat=0.15,lost-ack=0.1,retag=0.5,skew=5s,bad-signature=0.1',
  reorderWindowMs: 500,
  // The primary playlists alone.
  qualities: [],
  streamDurationMs: 10_000,
} as const;
export const SPEED = 20;

/** Of a kind that Sluice does not know, as the platform may add them at any time. */
export const THUMBNAIL = { stream: 'sandbox#3.demo', what: 'thumbnail', data: { width: 640 } } as const;

/** What is behind this handler is away for this stream, for this many attempts. */
export const AWAY = { handler: 'notify', stream: 'sandbox#2.demo', attempts: 2 } as const;
/** What is behind this handler refuses this notification until somebody mends it. */
export const REFUSED = { handler: 'archive', stream: 'sandbox#3.demo', what: 'ended' } as const;

import ms, { type StringValue } from 'ms';

/** How badly the platform behaves. Chances lie between 0 and 1. */
export interface Faults {
  /** Chance that a notification is sent later than those after it of its stream. */
  reorder: number;
  /** Chance that a notification is sent again although it was acknowledged. */
  repeat: number;
  /** Chance, for each attempt, that its acknowledgement gets lost: the platform sends it again. */
  lostAck: number;
  /** Chance that a repeat has its tags in another order. */
  retag: number;
  /** Chance that a repeat has a new message timestamp. */
  restamp: number;
  /** How far the clocks are off at most, either way, ms: one for the messages of a stream, one for each signature. */
  skewMs: number;
  /** Chance that a copy whose signature does not hold is sent before the notification. */
  badSignature: number;
}

export const NO_FAULTS: Faults = {
  reorder: 0,
  repeat: 0,
  lostAck: 0,
  retag: 0,
  restamp: 0,
  skewMs: 0,
  badSignature: 0,
};

/** Every fault at once, at rates that a receiver meets many times in a run of some hundred streams. */
export const ALL_FAULTS: Faults = {
  reorder: 0.3,
  repeat: 0.2,
  lostAck: 0.1,
  retag: 0.2,
  restamp: 0.1,
  skewMs: 5_000,
  badSignature: 0.05,
};

const FIELD_BY_NAME: Record<string, keyof Faults> = {
  reorder: 'reorder',
  repeat: 'repeat',
  'lost-ack': 'lostAck',
  retag: 'retag',
  restamp: 'restamp',
  skew: 'skewMs',
  'bad-signature': 'badSignature',
};

/**
 * Reads `reorder=0.3,lost-ack=0.1,skew=5s`; `all` and `none` stand for {@link ALL_FAULTS} and {@link NO_FAULTS}, and may
 * come first, to be changed by what follows: `all,skew=0s`.
 *
 * @throws TypeError that says which part it cannot take, and what it expects
 */
export function parseFaults(text: string): Faults {
  const faults = { ...NO_FAULTS };
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts.filter((each) => each !== '')) {
    if (part === 'all') Object.assign(faults, ALL_FAULTS);
    else if (part === 'none') Object.assign(faults, NO_FAULTS);
    else Object.assign(faults, parseFault(part));
  }
  return faults;
}

function parseFault(part: string): Partial<Faults> {
  const [name = '', value = ''] = part.split('=').map((each) => each.trim());
  const field = Object.hasOwn(FIELD_BY_NAME, name) ? FIELD_BY_NAME[name] : undefined;
  if (field === undefined) {
    throw new TypeError(
      `faults: there is no fault "${name}"; there are ${Object.keys(FIELD_BY_NAME).join(', ')}, all, none`,
    );
  }
  const number = field === 'skewMs' ? parseDurationMs(value) : parseChance(value);
  if (number === undefined) {
    const expected = field === 'skewMs' ? 'a time such as 5s or 500ms' : 'a chance from 0 to 1';
    throw new TypeError(`faults: ${name}: expected ${expected}, received "${value}"`);
  }
  return { [field]: number };
}

function parseChance(value: string): number | undefined {
  const chance = value === '' ? Number.NaN : Number(value);
  return chance >= 0 && chance <= 1 ? chance : undefined;
}

/** A time such as `5s`, `1.5h` or `250` (milliseconds), in ms; undefined where it is none. */
function parseDurationMs(value: string): number | undefined {
  const duration = value === '' || value.length > 100 ? undefined : ms(value as StringValue);
  return duration !== undefined && duration >= 0 ? duration : undefined;
}

/** The inverse of {@link parseFaults}: what is on, `none` where nothing is. */
export function formatFaults(faults: Faults): string {
  const on = Object.entries(FIELD_BY_NAME).filter(([, field]) => faults[field] > 0);
  if (on.length === 0) return 'none';
  return on.map(([name, field]) => `${name}=${field === 'skewMs' ? `${faults.skewMs}ms` : faults[field]}`).join(',');
}

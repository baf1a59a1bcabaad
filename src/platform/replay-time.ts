import { z } from 'zod';

/** A moment: a date, or ISO 8601 text that states its zone. */
export type Moment = Date | string;

const EXPECTED = 'expected a Date, or a date and time with its zone, such as 2026-11-20T10:00:00.000Z';
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');

/**
 * Reads a moment and writes it as the replay manifest wants it, `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`
 * (contract: "Fetch a replay manifest"). A text without a zone is refused: it would be this machine's.
 */
export const replayTimeSchema = z
  .union([z.date(), z.iso.datetime({ offset: true, error: EXPECTED })], { error: EXPECTED })
  .transform((moment) => new Date(moment).getTime())
  .refine((time) => time >= EARLIEST && time <= LATEST, { error: EXPECTED })
  .transform((time) => new Date(time).toISOString());

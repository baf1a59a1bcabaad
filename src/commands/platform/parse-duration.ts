import { InvalidArgumentError } from 'commander';
import ms from 'ms';

/** A duration such as `30m` or `1h`, in ms. A number without a unit is refused: it could mean either seconds or ms. */
export function parseDuration(text: string): number {
  const duration = /[a-z]$/i.test(text) && text.length <= 100 ? ms(text as ms.StringValue) : undefined;
  if (duration === undefined || !Number.isFinite(duration) || duration <= 0) {
    throw new InvalidArgumentError('Expected a duration above 0 with its unit, such as 30s, 15m, 1h or 7d.');
  }
  return Math.ceil(duration);
}

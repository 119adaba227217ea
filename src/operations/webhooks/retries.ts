/**
 * The retry schedule of messages: first soon, in case the receiver restarts, then at growing intervals for
 * three days.
 */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds to wait after each failed attempt. */
export const DELAYS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

const SPREAD = 0.1;
const LONGEST_WISH = HOUR;

export interface Retry {
  /** Number of the failed attempt, starting at 1. */
  readonly attempt: number;
  /** The seconds that the receiver requested in `Retry-After`, if any. */
  readonly retryAfterSeconds: number | null;
  /** A random number from 0 to 1. */
  readonly chance: number;
}

/** Seconds until the next attempt; `null` after the last attempt. */
export function retryAfter({ attempt, retryAfterSeconds, chance }: Retry): number | null {
  const delay = DELAYS[attempt - 1];
  if (delay === undefined) return null;
  const spread = delay * (1 - SPREAD + 2 * SPREAD * chance);
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, LONGEST_WISH));
}

/** Seconds requested by a `Retry-After` header in seconds or as a date; `null` if it is neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}

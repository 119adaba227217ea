const FIRST_SECONDS = 1;
const LONGEST_SECONDS = 60;

/**
 * Doubles with every try up to a minute, so that operations waiting for an engine resume soon after it is
 * back. Half of the wait is random, so that operations that failed together do not all retry at the same
 * moment.
 */
export function backoffSeconds(tries: number, random: () => number): number {
  const whole = Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** Math.min(tries, 20));
  return whole / 2 + (whole / 2) * random();
}

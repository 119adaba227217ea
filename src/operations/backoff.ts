const FIRST_SECONDS = 1;
const LONGEST_SECONDS = 60;

/**
 * Doubles with every try up to a minute: what waits for an engine goes on soon after that is back. Half of it is chance,
 * so that what failed together does not return together.
 */
export function backoffSeconds(tries: number, random: () => number): number {
  const whole = Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** Math.min(tries, 20));
  return whole / 2 + (whole / 2) * random();
}

const FIRST_SECONDS = 1;
const LONGEST_SECONDS = 300;

/** Doubles with every try up to five minutes; half of it is chance, so that what failed together does not return together. */
export function backoffSeconds(tries: number, random: () => number): number {
  const whole = Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** Math.min(tries, 20));
  return whole / 2 + (whole / 2) * random();
}

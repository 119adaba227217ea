/**
 * Money, rates and quantities are integers of one millionth. They are bigints because a basket may hold
 * 1000 machines with 10⁹ GB each, which is past what a double counts exactly.
 */
export type Micro = bigint;

export const ONE: Micro = 1_000_000n;
const CENT: Micro = 10_000n;

/** Reads `0.011`, `7` or 7; a number with more than six digits after the point is rounded to them. */
export function micro(value: string | number): Micro {
  const text = typeof value === 'number' ? value.toFixed(6) : value;
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) throw new RangeError(`${JSON.stringify(value)} is not a decimal number with up to six digits.`);
  const [, sign, whole = '', fraction = ''] = match;
  const size = BigInt(whole) * ONE + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -size : size;
}

/** Half goes up, away from zero for negative amounts, so that a credit mirrors its charge. */
export function divide(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n) return -divide(-numerator, denominator);
  return (2n * numerator + denominator) / (2n * denominator);
}

/** The fraction `numerator / denominator` (in millionths) rounded once, to whole cents. */
export function toCents(numerator: bigint, denominator = 1n): Micro {
  return divide(numerator, denominator * CENT) * CENT;
}

export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function sum(values: Iterable<Micro>): Micro {
  let total = 0n;
  for (const value of values) total += value;
  return total;
}

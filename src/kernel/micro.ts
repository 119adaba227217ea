/**
 * Money, rates and quantities are integers in millionths. They are bigints because a basket may hold 1000 machines
 * with 10⁹ GB each, which a double cannot represent exactly.
 */
export type Micro = bigint;

export const ONE: Micro = 1_000_000n;
const CENT: Micro = 10_000n;

/** Reads `0.011`, `7` or 7. A JavaScript number is rounded to six decimal places. */
export function micro(value: string | number): Micro {
  const text = typeof value === 'number' ? value.toFixed(6) : value;
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) throw new RangeError(`${JSON.stringify(value)} is not a decimal number with up to six digits.`);
  const [, sign, whole = '', fraction = ''] = match;
  const size = BigInt(whole) * ONE + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -size : size;
}

/** Rounds half away from zero, so that a credit is the exact negative of its charge. */
export function divide(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n) return -divide(-numerator, denominator);
  return (2n * numerator + denominator) / (2n * denominator);
}

/** Rounds `numerator / denominator` (in millionths) to whole cents, in a single step. */
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

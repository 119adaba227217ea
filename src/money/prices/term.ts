/** Prices that depend on how long the contract runs. */

/** The longest term that the contract reaches; a contract shorter than every term gets the shortest. */
export function termOf<T extends { readonly months: number }>(terms: readonly T[], months: number): T {
  const byLength = [...terms].sort((a, b) => b.months - a.months);
  const term = byLength.find((each) => each.months <= months) ?? byLength.at(-1);
  if (!term) throw new Error('The catalogue was loaded with an empty list of terms.');
  return term;
}

/** Compares the kept counts of limits with the rows that they count. */
import { findCountDifferences } from '../resources/limits/kept/store.ts';
import type { TestApp } from '../testing/app.ts';

/** Lists what differs in these accounts. */
export async function countDifferences(
  { services: { db } }: Pick<TestApp, 'services'>,
  accountIds: readonly string[],
): Promise<string[]> {
  const differing = await findCountDifferences(db, accountIds);
  return differing.map(
    ({ account_id, what, location, amount }) =>
      `${account_id} ${what} ${location}: the count is too small by ${amount}`,
  );
}

/** Compares the kept counts of limits with the rows that they count. */
import { findAccountIds, findCountDifferences } from '../resources/limits/kept/store.ts';
import type { TestApp } from '../testing/app.ts';

const ALL = 1_000_000;

/** Lists what differs in any account. */
export async function countDifferences({ services: { db } }: Pick<TestApp, 'services'>): Promise<string[]> {
  const differing = await findCountDifferences(db, await findAccountIds(db, '', ALL));
  return differing.map(
    ({ account_id, what, location, amount }) =>
      `${account_id} ${what} ${location}: the count is too small by ${amount}`,
  );
}

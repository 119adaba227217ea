/** Compares the totals of the meter with its spans and readings. */
import { findDifferences, findMeteredAccounts } from '../money/metering/totals/store.ts';
import type { TestApp } from '../testing/app.ts';

const ALL = 1_000_000;

/** Lists what differs in any account, or in the accounts given. */
export async function meterDifferences(
  { services: { db } }: Pick<TestApp, 'services'>,
  accountIds?: readonly string[],
): Promise<string[]> {
  const differing: string[] = [];
  for (const id of accountIds ?? (await findMeteredAccounts(db, '', ALL)))
    differing.push(...(await findDifferences(db, id)).map((what) => `${id} ${what}`));
  return differing;
}

/** Compares the totals of the meter with its spans and readings. */
import { findDifferences } from '../money/metering/totals/store.ts';
import type { TestApp } from '../testing/app.ts';

/** Lists what differs in these accounts. */
export async function meterDifferences(
  { services: { db } }: Pick<TestApp, 'services'>,
  accountIds: readonly string[],
): Promise<string[]> {
  const differing: string[] = [];
  for (const id of accountIds)
    differing.push(...(await findDifferences(db, id)).map((what) => `${id} ${what}`));
  return differing;
}

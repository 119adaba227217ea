/** A check of `hostplane admin doctor`: whether the kept counts are those of the rows. */
import type { Examination } from '../../../kernel/registry.ts';
import type { Db } from '../../../store/database.ts';
import { correctCounts, findAccountIds, findCountDifferences } from './store.ts';

const PAGE = 100;
const NAMED = 5;

async function* pagesOfAccounts(db: Db): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const ids = await findAccountIds(db, after, PAGE);
    if (ids.length > 0) yield ids;
    if (ids.length < PAGE) return;
    after = ids.at(-1) ?? '';
  }
}

export async function examineCounts(db: Db): Promise<Examination> {
  const name = 'Counts of limits';
  const differing = new Map<string, string>();
  for await (const ids of pagesOfAccounts(db))
    for (const { account_id, what, location } of await findCountDifferences(db, ids))
      differing.set(account_id, `${account_id} (${what}${location === '' ? '' : ` in ${location}`})`);
  if (differing.size === 0) return { name, detail: 'the same as the rows that they count' };
  const more = differing.size > NAMED ? ` and ${differing.size - NAMED} more` : '';
  const detail = `Not what the rows say: ${[...differing.values()].slice(0, NAMED).join(', ')}${more}.`;
  return { name, detail, fix: 'Run: hostplane admin recount' };
}

/** Corrects the counts of all accounts. Returns the accounts whose counts were wrong. */
export async function correctAllCounts(db: Db): Promise<string[]> {
  const corrected: string[] = [];
  for await (const ids of pagesOfAccounts(db)) corrected.push(...(await correctCounts(db, ids)));
  return corrected;
}

/** A check of `hostplane admin doctor`: whether the totals of the meter are those of its spans. */
import type { Examination } from '../../../kernel/registry.ts';
import type { Db } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { findDifferences, findMeteredAccounts, recount } from './store.ts';

const PAGE = 500;
const NAMED = 5;

async function* meteredAccounts(db: Db): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const accounts = await findMeteredAccounts(db, after, PAGE);
    yield* accounts;
    after = accounts.at(-1) ?? '';
    if (accounts.length < PAGE) return;
  }
}

export async function examineTotals(db: Db): Promise<readonly Examination[]> {
  const name = 'Meter totals';
  const differing: string[] = [];
  for await (const id of meteredAccounts(db)) {
    const [first] = await findDifferences(db, id);
    if (first !== undefined) differing.push(`${id} (${first})`);
  }
  if (differing.length === 0) return [{ name, detail: 'the same as the spans of the meter' }];
  const more = differing.length > NAMED ? ` and ${differing.length - NAMED} more` : '';
  const detail = `Not what the spans of the meter say: ${differing.slice(0, NAMED).join(', ')}${more}.`;
  return [{ name, detail, fix: 'Run: hostplane admin recount' }];
}

/** Computes the totals of all accounts again, each in a transaction of its own. Returns the accounts that differed. */
export async function recountAll(db: Db): Promise<string[]> {
  const differing: string[] = [];
  for await (const id of meteredAccounts(db)) {
    if ((await findDifferences(db, id)).length === 0) continue;
    await transact(db, (tx) => recount(tx, id));
    differing.push(id);
  }
  return differing;
}

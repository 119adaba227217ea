import type { Db } from '../../store/database.ts';
import { notFound } from '../portal-write.ts';
import {
  type AccountCounts,
  type AccountRow,
  countByAccount,
  findAccount,
  findAccounts,
  listLimits,
  listProducts,
  type ProductRow,
} from './store.ts';

export type AccountSummary = AccountRow & Pick<AccountCounts, 'members' | 'keys'>;
export interface AccountDetails extends AccountSummary {
  readonly products: readonly ProductRow[];
  readonly limits: readonly { limit_id: string; value: number | null }[];
}

async function summarise(db: Db, rows: readonly AccountRow[]): Promise<AccountSummary[]> {
  const counts = await countByAccount(
    db,
    rows.map(({ id }) => id),
  );
  const byId = new Map(counts.map((count) => [count.account_id, count]));
  return rows.map((row) => ({
    ...row,
    members: byId.get(row.id)?.members ?? 0,
    keys: byId.get(row.id)?.keys ?? 0,
  }));
}

/** Oldest first. `idOrName` returns only exact matches. */
export async function listAccounts(
  db: Db,
  { idOrName, limit = 1000 }: { readonly idOrName?: string; readonly limit?: number } = {},
): Promise<AccountSummary[]> {
  return summarise(db, await findAccounts(db, idOrName, limit));
}

/** Every account, oldest first, without its counts. */
export const allAccounts = (db: Db): Promise<AccountRow[]> =>
  findAccounts(db, undefined, Number.MAX_SAFE_INTEGER);

export async function showAccount(db: Db, accountId: string): Promise<AccountDetails> {
  const row = await findAccount(db, accountId);
  if (row === undefined) throw notFound('account', accountId);
  const [summary] = await summarise(db, [row]);
  const products = await listProducts(db, accountId);
  const limits = await listLimits(db, accountId);
  return { ...row, members: 0, keys: 0, ...summary, products, limits };
}

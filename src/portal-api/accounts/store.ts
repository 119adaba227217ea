import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import '../../kernel/access/tables.ts';
import type { Db, Tables, Tx } from '../../store/database.ts';

export type AccountRow = Selectable<Tables['accounts']>;
export type ProductRow = Omit<Selectable<Tables['account_products']>, 'account_id'>;

/**
 * Locks the account's row, but not with `for update`: inserts of rows that reference the account would wait
 * for it.
 */
export async function lockAccount(tx: Tx, id: string): Promise<AccountRow | undefined> {
  return tx.selectFrom('accounts').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export async function insertAccount(tx: Tx, account: Insertable<Tables['accounts']>): Promise<AccountRow> {
  return tx.insertInto('accounts').values(account).returningAll().executeTakeFirstOrThrow();
}

export async function updateAccount(
  tx: Tx,
  id: string,
  values: Updateable<Tables['accounts']>,
): Promise<AccountRow> {
  return tx
    .updateTable('accounts')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findAccount(db: Db, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns at most `limit` accounts, oldest first: those with this id or exact name, or all of them. */
export async function findAccounts(
  db: Db,
  idOrName: string | undefined,
  limit: number,
): Promise<AccountRow[]> {
  const query = db.selectFrom('accounts').selectAll().orderBy('id').limit(limit);
  if (idOrName === undefined) return query.execute();
  return query
    .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
    .execute();
}

export interface AccountCounts {
  readonly account_id: string;
  readonly members: number;
  readonly keys: number;
}

export async function countByAccount(db: Db, accountIds: readonly string[]): Promise<AccountCounts[]> {
  const { rows } = await sql<AccountCounts>`
    select a.id as account_id,
           (select count(*) from members m where m.account_id = a.id) as members,
           (select count(*) from api_keys k where k.account_id = a.id and k.status <> 'revoked'
              and (k.expires_at is null or k.expires_at > now())) as keys
    from accounts a where a.id = any(${accountIds}::text[])`.execute(db);
  return rows;
}

export async function listProducts(db: Db, accountId: string): Promise<ProductRow[]> {
  return db
    .selectFrom('account_products')
    .select(['family', 'enabled', 'since', 'reason'])
    .where('account_id', '=', accountId)
    .orderBy('family')
    .execute();
}

export async function writeProducts(
  tx: Tx,
  accountId: string,
  products: readonly ProductRow[],
): Promise<void> {
  if (products.length === 0) return;
  await tx
    .insertInto('account_products')
    .values(products.map((product) => ({ ...product, account_id: accountId })))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'family']).doUpdateSet((row) => ({
        enabled: row.ref('excluded.enabled'),
        since: row.ref('excluded.since'),
        reason: row.ref('excluded.reason'),
      })),
    )
    .execute();
}

export async function listLimits(db: Db, accountId: string) {
  return db
    .selectFrom('account_limits')
    .select(['limit_id', 'value'])
    .where('account_id', '=', accountId)
    .orderBy('limit_id')
    .execute();
}

export async function findLimit(db: Db, accountId: string, limitId: string) {
  return db
    .selectFrom('account_limits')
    .select('value')
    .where('account_id', '=', accountId)
    .where('limit_id', '=', limitId)
    .executeTakeFirst();
}

export async function writeLimit(
  tx: Tx,
  accountId: string,
  limitId: string,
  value: number | null,
): Promise<void> {
  await tx
    .insertInto('account_limits')
    .values({ account_id: accountId, limit_id: limitId, value })
    .onConflict((conflict) => conflict.columns(['account_id', 'limit_id']).doUpdateSet({ value }))
    .execute();
}

export async function deleteLimit(tx: Tx, accountId: string, limitId: string): Promise<void> {
  await tx
    .deleteFrom('account_limits')
    .where('account_id', '=', accountId)
    .where('limit_id', '=', limitId)
    .execute();
}

import {
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type UpdateObject,
} from 'kysely';
import { KEY_LIVES, KEY_STATE } from '../../kernel/access/store.ts';
import type { KeyStatus } from '../../kernel/access/tables.ts';
import type { Db, Tables, Tx } from '../../store/database.ts';

export type KeyRow = Selectable<Tables['api_keys']> & {
  readonly state: KeyStatus;
};

function select(db: Db): SelectQueryBuilder<Tables, 'api_keys', KeyRow> {
  return db.selectFrom('api_keys').selectAll('api_keys').select(KEY_STATE.as('state'));
}

/** Uses the database's clock, which also decides when a key has expired. */
const inHours = (hours: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + make_interval(hours => ${hours})`;

export async function insertKey(
  tx: Tx,
  {
    lifetimeHours,
    ...key
  }: Omit<Insertable<Tables['api_keys']>, 'expires_at'> & { lifetimeHours: number | null },
): Promise<KeyRow> {
  const expires_at = lifetimeHours === null ? null : inHours(lifetimeHours);
  await tx
    .insertInto('api_keys')
    .values({ ...key, expires_at })
    .execute();
  return select(tx).where('id', '=', key.id).executeTakeFirstOrThrow();
}

/** Locks the row, so that a concurrent revocation by the API is neither missed nor undone. */
export async function lockKey(tx: Tx, accountId: string, id: string): Promise<KeyRow | undefined> {
  return select(tx).where('account_id', '=', accountId).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function lockKeysOf(tx: Tx, memberId: string): Promise<KeyRow[]> {
  return select(tx)
    .where('owner_id', '=', memberId)
    .where('status', '<>', 'revoked')
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Oldest first. `which` is an id, a public id or the exact name. */
export async function findKeys(db: Db, accountId: string, which?: string): Promise<KeyRow[]> {
  const query = select(db).where('account_id', '=', accountId).orderBy('id');
  if (which === undefined) return query.execute();
  return query
    .where((where) =>
      where.or([where('id', '=', which), where('public_id', '=', which), where('name', '=', which)]),
    )
    .execute();
}

export async function findLivingByName(tx: Tx, accountId: string, name: string): Promise<KeyRow | undefined> {
  return select(tx)
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .where(KEY_LIVES)
    .executeTakeFirst();
}

async function count(db: Db, column: 'account_id' | 'owner_id', id: string): Promise<number> {
  const row = await db
    .selectFrom('api_keys')
    .select(sql<number>`count(*)`.as('count'))
    .where(column, '=', id)
    .where(KEY_LIVES)
    .executeTakeFirstOrThrow();
  return row.count;
}

export const countKeys = (db: Db, accountId: string): Promise<number> => count(db, 'account_id', accountId);
export const countKeysOf = (db: Db, memberId: string): Promise<number> => count(db, 'owner_id', memberId);

export async function updateKeys(
  tx: Tx,
  ids: readonly string[],
  values: UpdateObject<Tables, 'api_keys'>,
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('api_keys')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', 'in', ids)
    .execute();
}

export async function endKey(tx: Tx, id: string, afterHours: number, successor: string): Promise<void> {
  await updateKeys(tx, [id], {
    expires_at: sql<Date>`least(expires_at, ${inHours(afterHours)})`,
    replaced_by: successor,
  });
}

export async function readKey(db: Db, id: string): Promise<KeyRow> {
  return select(db).where('id', '=', id).executeTakeFirstOrThrow();
}

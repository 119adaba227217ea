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

export const keySorts = ['newest', 'name', 'owner', 'last_used', 'expires'] as const;
export type KeySort = (typeof keySorts)[number];

/** What a page is sorted by; the id decides between equal values. What never happened comes last. */
const sorts: Readonly<
  Record<
    KeySort,
    { readonly by: RawBuilder<unknown>; readonly type: 'text' | 'timestamptz'; readonly up: boolean }
  >
> = {
  newest: { by: sql`api_keys.id`, type: 'text', up: false },
  name: { by: sql`lower(api_keys.name)`, type: 'text', up: true },
  owner: { by: sql`lower(api_keys.owner_name)`, type: 'text', up: true },
  last_used: { by: sql`coalesce(api_keys.last_used_at, '-infinity')`, type: 'timestamptz', up: false },
  expires: { by: sql`coalesce(api_keys.expires_at, 'infinity')`, type: 'timestamptz', up: true },
};

export interface KeyFilter {
  readonly states?: readonly KeyStatus[] | undefined;
  readonly ownerId?: string | undefined;
  /** Part of the name or the notes, or the beginning of the public part. */
  readonly text?: string | undefined;
}

export type SortedKeyRow = KeyRow & { readonly sorted_by: string };

/** `after`: the sorted value and the id of the last key of the page before. */
export async function findKeyPage(
  db: Db,
  accountId: string,
  { states, ownerId, text }: KeyFilter,
  sort: KeySort,
  after: readonly [value: string, id: string] | null,
  limit: number,
): Promise<SortedKeyRow[]> {
  const { by, type, up } = sorts[sort];
  let query = select(db)
    .select(sql<string>`(${by})::text`.as('sorted_by'))
    .where('account_id', '=', accountId);
  if (states !== undefined) query = query.where(KEY_STATE, 'in', states);
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (text !== undefined)
    query = query.where(
      sql<boolean>`(strpos(lower(api_keys.name), lower(${text})) > 0
        or strpos(lower(api_keys.notes), lower(${text})) > 0 or starts_with(api_keys.public_id, ${text}))`,
    );
  if (after !== null) {
    const [value, id] = after;
    const place = sql`(${value}::${sql.raw(type)}, ${id})`;
    query = query.where(
      up ? sql<boolean>`(${by}, api_keys.id) > ${place}` : sql<boolean>`(${by}, api_keys.id) < ${place}`,
    );
  }
  const direction = up ? 'asc' : 'desc';
  return query.orderBy(by, direction).orderBy('api_keys.id', direction).limit(limit).execute();
}

/** How many keys the account has in each state. */
export async function countKeyStates(
  db: Db,
  accountId: string,
): Promise<readonly { readonly state: KeyStatus; readonly count: number; readonly used: boolean }[]> {
  const { rows } = await sql<{ state: KeyStatus; count: number; used: boolean }>`
    select state, count(*)::int as count, bool_or(last_used_at is not null) as used
    from (select last_used_at, ${KEY_STATE} as state from api_keys where account_id = ${accountId}) as keys
    group by state`.execute(db);
  return rows;
}

/** Active keys that were found in public. */
export async function findExposed(db: Db, accountId: string, limit: number): Promise<KeyRow[]> {
  return select(db)
    .where('account_id', '=', accountId)
    .where('exposed_at', 'is not', null)
    .where(KEY_STATE, '=', 'active')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Active keys without a successor of whose life less than a quarter is left, and at most 14 days; the next to end first. */
export async function findEnding(db: Db, accountId: string, limit: number): Promise<KeyRow[]> {
  return select(db)
    .where('account_id', '=', accountId)
    .where('replaced_by', 'is', null)
    .where(KEY_STATE, '=', 'active')
    .where(
      sql<boolean>`expires_at - clock_timestamp() < least(interval '14 days', (expires_at - created_at) / 4)`,
    )
    .orderBy('expires_at')
    .limit(limit)
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

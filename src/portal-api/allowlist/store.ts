import { type Insertable, type Selectable, sql } from 'kysely';
import '../../kernel/access/tables.ts';
import '../../kernel/denials/store.ts';
import type { AllowlistMode } from '../../kernel/access/tables.ts';
import type { Db, Tables, Tx } from '../../store/database.ts';

export type AllowlistRow = Selectable<Tables['ip_allowlists']>;
export type EntryRow = Selectable<Tables['ip_allowlist_entries']> & {
  /** Whether the entry has not expired, by the database's clock. */
  readonly live: boolean;
};

export async function ensureAllowlist(tx: Tx, accountId: string): Promise<void> {
  await tx
    .insertInto('ip_allowlists')
    .values({ account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findAllowlist(db: Db, accountId: string): Promise<AllowlistRow | undefined> {
  return db.selectFrom('ip_allowlists').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

export async function findEntries(db: Db, accountId: string): Promise<EntryRow[]> {
  return db
    .selectFrom('ip_allowlist_entries')
    .selectAll()
    .select(sql<boolean>`expires_at is null or expires_at > clock_timestamp()`.as('live'))
    .where('account_id', '=', accountId)
    .orderBy('cidr')
    .execute();
}

export async function insertEntry(
  tx: Tx,
  entry: Insertable<Tables['ip_allowlist_entries']>,
): Promise<EntryRow> {
  return tx
    .insertInto('ip_allowlist_entries')
    .values(entry)
    .returningAll()
    .returning(sql<boolean>`true`.as('live'))
    .executeTakeFirstOrThrow();
}

export async function deleteEntry(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('ip_allowlist_entries').where('id', '=', id).execute();
}

/** Raises the version of the allowlist and, if `mode` is given, sets the mode. */
export async function bumpAllowlist(
  tx: Tx,
  accountId: string,
  mode?: { readonly mode: AllowlistMode; readonly by: string },
): Promise<void> {
  const changed = mode
    ? { mode: mode.mode, mode_changed_at: sql<Date>`clock_timestamp()`, mode_changed_by: mode.by }
    : {};
  await tx
    .updateTable('ip_allowlists')
    .set({ ...changed, version: sql`version + 1` })
    .where('account_id', '=', accountId)
    .execute();
}

export interface Sighting {
  readonly key_id: string;
  readonly key_name: string;
  readonly client_ip: string;
  readonly count: number;
  readonly last_at: Date;
}

/**
 * Requests of the last 30 days that Report only recorded as outside the allowlist, from keys that still work.
 */
export async function findSightings(db: Db, accountId: string): Promise<Sighting[]> {
  const { rows } = await sql<Sighting>`
    select d.key_id, max(d.key_name) as key_name, d.client_ip, sum(d.count) as count, max(d.last_at) as last_at
    from key_denials d join api_keys k on k.id = d.key_id
    where d.account_id = ${accountId} and d.cause = 'ip_restriction' and not d.enforced
      and d.last_at > now() - interval '30 days'
      and k.status <> 'revoked' and (k.expires_at is null or k.expires_at > now())
    group by d.key_id, d.client_ip
    order by count desc, d.key_id, d.client_ip`.execute(db);
  return rows;
}

export async function hoursInMode(db: Db, accountId: string): Promise<number | null> {
  const { rows } = await sql<{ hours: number | null }>`
    select extract(epoch from clock_timestamp() - mode_changed_at)::float8 / 3600 as hours
    from ip_allowlists where account_id = ${accountId}`.execute(db);
  return rows[0]?.hours ?? null;
}

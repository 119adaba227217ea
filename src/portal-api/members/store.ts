import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import '../../kernel/access/tables.ts';
import type { Db, Tables, Tx } from '../../store/database.ts';

export type MemberRow = Selectable<Tables['members']>;
export type MemberSummary = MemberRow & { readonly key_count: number };

export async function insertMember(tx: Tx, member: Insertable<Tables['members']>): Promise<MemberRow> {
  return tx.insertInto('members').values(member).returningAll().executeTakeFirstOrThrow();
}

export async function findMember(db: Db, accountId: string, id: string): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function findMemberByEmail(
  db: Db,
  accountId: string,
  email: string,
): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirst();
}

export async function findMembers(db: Db, accountId: string): Promise<MemberSummary[]> {
  return db
    .selectFrom('members')
    .selectAll('members')
    .select(
      sql<number>`(select count(*) from api_keys k where k.owner_id = members.id and k.status <> 'revoked'
        and (k.expires_at is null or k.expires_at > now()))`.as('key_count'),
    )
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
}

/** The names of members, by id. */
export async function findNames(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('members')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns the oldest active owner. */
export async function findActiveOwner(
  db: Db,
  accountId: string,
  besides: string | null = null,
): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .$if(besides !== null, (query) => query.where('id', '<>', besides as string))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export async function updateMember(
  tx: Tx,
  id: string,
  values: Updateable<Tables['members']>,
): Promise<MemberRow> {
  return tx
    .updateTable('members')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('members').where('id', '=', id).execute();
}

export async function countMembers(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('members')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The member as which the person belongs to the account. */
export async function findMembershipOf(
  db: Db,
  accountId: string,
  personId: string,
): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
}

import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import '../../kernel/access/tables.ts';
import './tables.ts';
import type { RoleName } from '../../kernel/access/roles.ts';
import type { AccountStatus } from '../../kernel/access/tables.ts';
import type { Db, Tables, Tx } from '../../store/database.ts';

export type PersonRow = Selectable<Tables['people']>;

export async function insertPerson(tx: Tx, person: Insertable<Tables['people']>): Promise<PersonRow> {
  return tx.insertInto('people').values(person).returningAll().executeTakeFirstOrThrow();
}

export async function findPerson(db: Db, id: string): Promise<PersonRow | undefined> {
  return db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function lockPerson(tx: Tx, id: string): Promise<PersonRow | undefined> {
  return tx.selectFrom('people').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function findPersonByEmail(db: Db, email: string): Promise<PersonRow | undefined> {
  return db
    .selectFrom('people')
    .selectAll()
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirst();
}

/** Sign-ups with the same address wait for one another. */
export async function lockEmail(tx: Tx, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('person ' || lower(${email}), 0))`.execute(tx);
}

/** Oldest first. `which` is an id, an e-mail address or a part of one. */
export async function findPeople(db: Db, which: string | undefined, limit: number): Promise<PersonRow[]> {
  const query = db.selectFrom('people').selectAll().orderBy('id').limit(limit);
  if (which === undefined) return query.execute();
  const part = `%${which.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return query
    .where((where) => where.or([where('id', '=', which), where(sql`lower(email)`, 'like', part)]))
    .execute();
}

export async function updatePerson(
  tx: Tx,
  id: string,
  values: Updateable<Tables['people']>,
): Promise<PersonRow> {
  return tx
    .updateTable('people')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Returns false if a code of this time step or of a later one was used before, or if the app was removed or replaced
 * since `person` was read.
 */
export async function takeTotpStep(
  tx: Tx,
  { id, totp_secret }: Pick<PersonRow, 'id' | 'totp_secret'>,
  step: number,
): Promise<boolean> {
  const { rows } = await sql`
    update people set totp_last_step = ${step}
    where id = ${id} and totp_secret = ${totp_secret} and totp_last_step < ${step} returning id`.execute(tx);
  return rows.length === 1;
}

export interface Membership {
  readonly member_id: string;
  readonly member_name: string;
  readonly role: RoleName;
  readonly account_id: string;
  readonly account_name: string;
  readonly account_status: AccountStatus;
  readonly mfa_required: boolean;
}

const memberships = (db: Db, personId: string) =>
  db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select([
      'members.id as member_id',
      'members.name as member_name',
      'members.role',
      'accounts.id as account_id',
      'accounts.name as account_name',
      'accounts.status as account_status',
      'accounts.mfa_required',
    ])
    .where('members.person_id', '=', personId)
    .where('members.status', '=', 'active')
    .where('accounts.status', '<>', 'closed');

/** The accounts that the person may enter, oldest first. */
export async function findMemberships(db: Db, personId: string): Promise<Membership[]> {
  return memberships(db, personId).orderBy('members.id').execute();
}

export async function findMembership(
  db: Db,
  personId: string,
  accountId: string,
): Promise<Membership | undefined> {
  return memberships(db, personId).where('members.account_id', '=', accountId).executeTakeFirst();
}

/** Active members with the address of the person, which the provider's staff added, become the person's. */
export async function adoptMembers(tx: Tx, personId: string, email: string): Promise<void> {
  await sql`
    update members m set person_id = ${personId}, updated_at = now(), version = version + 1
    where lower(m.email) = lower(${email}) and m.person_id is null and m.status = 'active'
      and not exists (select from members o where o.person_id = ${personId} and o.account_id = m.account_id)`.execute(
    tx,
  );
}

export async function noteSignIn(tx: Tx, personId: string): Promise<void> {
  await sql`update members set last_sign_in_at = clock_timestamp() where person_id = ${personId}`.execute(tx);
}

/** Members show whether their person has a second factor. */
export async function noteSecondFactor(tx: Tx, personId: string): Promise<void> {
  await sql`
    update members m set mfa_enabled = f.enabled
    from (select p.totp_enabled_at is not null or exists (select from passkeys k where k.person_id = p.id) as enabled
          from people p where p.id = ${personId}) f
    where m.person_id = ${personId} and m.mfa_enabled <> f.enabled`.execute(tx);
}

export async function markPasswordChanged(tx: Tx, id: string, hash: string): Promise<void> {
  await sql`
    update people set password_hash = ${hash}, password_changed_at = clock_timestamp(), updated_at = now()
    where id = ${id}`.execute(tx);
}

/** Stores the secret of the app that was set up. `step` is that of the code with which it was shown to work. */
export async function enableTotp(tx: Tx, id: string, sealed: Buffer, step: number): Promise<void> {
  await sql`
    update people set totp_secret = ${sealed}, totp_pending = null, totp_enabled_at = clock_timestamp(),
      totp_last_step = ${step}, updated_at = now() where id = ${id}`.execute(tx);
}

export interface WaysIn {
  readonly has_password: boolean;
  readonly has_passkey: boolean;
}

/** With what the person can sign in, or show to be the same. */
export async function findWaysIn(db: Db, id: string): Promise<WaysIn> {
  const { rows } = await sql<WaysIn>`
    select p.password_hash is not null as has_password,
      exists (select from passkeys k where k.person_id = p.id) as has_passkey
    from people p where p.id = ${id}`.execute(db);
  return rows[0] ?? { has_password: false, has_passkey: false };
}

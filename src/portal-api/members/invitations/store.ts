import { type Insertable, sql } from 'kysely';
import '../../../kernel/access/tables.ts';
import '../../people/tables.ts';
import type { RoleName } from '../../../kernel/access/roles.ts';
import type { Db, Tables, Tx } from '../../../store/database.ts';

export interface InvitationRow {
  readonly id: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly member_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: RoleName;
  readonly inviter_name: string;
  readonly sent_at: Date;
  readonly expires_at: Date;
  readonly is_expired: boolean;
}

const DAYS = 7;
const inDays = sql<Date>`clock_timestamp() + make_interval(days => ${sql.lit(DAYS)})`;

const select = (db: Db) =>
  db
    .selectFrom('invitations')
    .innerJoin('members', 'members.id', 'invitations.member_id')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .select([
      'invitations.id',
      'invitations.account_id',
      'accounts.name as account_name',
      'invitations.member_id',
      'members.name',
      'members.email',
      'members.role',
      'invitations.inviter_name',
      'invitations.sent_at',
      'invitations.expires_at',
    ])
    .select(sql<boolean>`invitations.expires_at <= clock_timestamp()`.as('is_expired'))
    .where('members.status', '=', 'invited');

export async function insertInvitation(
  tx: Tx,
  invitation: Omit<Insertable<Tables['invitations']>, 'expires_at'>,
): Promise<void> {
  await tx
    .insertInto('invitations')
    .values({ ...invitation, expires_at: inDays })
    .execute();
}

/** Oldest first. */
export async function findInvitations(db: Db, accountId: string): Promise<InvitationRow[]> {
  return select(db).where('invitations.account_id', '=', accountId).orderBy('invitations.id').execute();
}

export async function findInvitation(
  db: Db,
  accountId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  return select(db)
    .where('invitations.account_id', '=', accountId)
    .where('invitations.id', '=', id)
    .executeTakeFirst();
}

/** By the link. An expired invitation is not found. */
export async function findByLink(db: Db, hash: Buffer): Promise<InvitationRow | undefined> {
  return select(db)
    .where('invitations.token_hash', '=', hash)
    .where('invitations.expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('accounts.status', '<>', 'closed')
    .executeTakeFirst();
}

/** The old link ends. */
export async function replaceLink(tx: Tx, id: string, hash: Buffer): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ token_hash: hash, sent_at: sql<Date>`clock_timestamp()`, expires_at: inDays })
    .where('id', '=', id)
    .execute();
}

export async function deleteInvitation(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('invitations').where('id', '=', id).execute();
}

/** Queries for console sessions and expired rescue modes. */
import { type Insertable, sql } from 'kysely';
import { type Bearer, bearerIn } from '../../../kernel/access/bearer.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { VmRow } from '../vms/table.ts';
import type { ConsoleSessionRow } from './table.ts';

/** Longer than the interval in which a live process updates `seen_at` of its connections. */
const UNSEEN = sql`interval '90 seconds'`;

/** Sessions that wait for a client or have one, on all processes. */
const isOpen = sql<boolean>`
  case when opened_at is null then expires_at > now() else seen_at > now() - ${UNSEEN} end`;

export async function countOpenSessions(db: Db, vmId: string): Promise<number> {
  const { open } = await db
    .selectFrom('console_sessions')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('vm_id', '=', vmId)
    .where(isOpen)
    .executeTakeFirstOrThrow();
  return Number(open);
}

export async function insertSession(db: Db, row: Insertable<Tables['console_sessions']>): Promise<void> {
  await db.insertInto('console_sessions').values(row).execute();
}

/** Who created the session. Undefined unless the token can be used now. */
export async function findBearer(db: Db, id: string, tokenHash: Buffer): Promise<Bearer | undefined> {
  const row = await db
    .selectFrom('console_sessions as s')
    .leftJoin('api_keys as k', 'k.id', 's.api_key_id')
    .select(['k.public_id', 's.session_id', 's.account_id'])
    .where('s.id', '=', id)
    .where('s.token_hash', '=', tokenHash)
    .where('s.opened_at', 'is', null)
    .where('s.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row && bearerIn(row);
}

/** Marks the session as opened, so that its token cannot be used for a second connection. */
export function claimSession(db: Db, id: string, tokenHash: Buffer): Promise<ConsoleSessionRow | undefined> {
  return db
    .updateTable('console_sessions')
    .set({ opened_at: sql`now()`, seen_at: sql`now()` })
    .where('id', '=', id)
    .where('token_hash', '=', tokenHash)
    .where('opened_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst();
}

/** Makes the token valid again, because the console could not be opened. */
export async function releaseSession(db: Db, id: string): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ opened_at: null, seen_at: null })
    .where('id', '=', id)
    .execute();
}

/** Returns false if the session no longer exists, for example because its machine was deleted. */
export async function touchSession(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .updateTable('console_sessions')
    .set({ seen_at: sql`now()` })
    .where('id', '=', id)
    .returning('id')
    .execute();
  return rows.length > 0;
}

export async function removeSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('console_sessions').where('id', '=', id).execute();
}

export async function removeEndedSessions(db: Db): Promise<void> {
  await db.deleteFrom('console_sessions').where(sql<boolean>`not (${isOpen})`).execute();
}

export interface DueRescue extends Pick<VmRow, 'id' | 'account_id'> {
  /** The time of the database, which decided that the rescue mode has expired. */
  readonly now: Date;
}

export function dueRescues(db: Db, limit: number): Promise<DueRescue[]> {
  return db
    .selectFrom('vms')
    .select(['id', 'account_id', sql<Date>`now()`.as('now')])
    .where('rescue_expires_at', '<=', sql<Date>`now()`)
    .where('status', 'in', ['running', 'stopped'])
    .orderBy('rescue_expires_at')
    .limit(limit)
    .execute();
}

/** If a rescue mode could not be ended, extends it by an hour for the next attempt. The API shows the new time. */
export async function prolongRescue(db: Db, vmId: string): Promise<void> {
  await db
    .updateTable('vms')
    .set({
      rescue_expires_at: sql`now() + interval '1 hour'`,
      version: sql`version + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', vmId)
    .where('rescue_expires_at', 'is not', null)
    .execute();
}

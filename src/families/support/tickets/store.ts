import { type RawBuilder, sql } from 'kysely';
import type { LimitCount } from '../../../resources/limits/limit-rows.ts';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db } from '../../../store/database.ts';
import type { LinkedResource } from './table.ts';
import type { SupportPlan } from './times.ts';

export const { find: findTicket } = rowsOf('tickets');

/** Whoever holds the lock on the names of the type is the only one to count. */
export async function nextNumber(db: Db, accountId: string): Promise<number> {
  const last = await db
    .selectFrom('tickets')
    .select('number')
    .where('account_id', '=', accountId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (last?.number ?? 0) + 1;
}

/** A ticket with the same text that was opened in the last ten minutes. */
export async function findSame(db: Db, accountId: string, textHash: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom('tickets')
    .select('id')
    .where('account_id', '=', accountId)
    .where('text_hash', '=', textHash)
    .where('created_at', '>', sql<Date>`now() - interval '10 minutes'`)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

export async function readPlan(db: Db, accountId: string): Promise<SupportPlan> {
  const row = await db
    .selectFrom('accounts')
    .select('support_plan')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return row.support_plan;
}

/** In the order of the ids. Ids that the inventory of the account does not have are left out. */
export async function readLinked(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<LinkedResource[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('resources')
    .select(['type', 'id', 'name'])
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
}

/** Those of these ids that are members of the account. */
export async function readMemberIds(db: Db, accountId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('members')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
  return rows.map(({ id }) => id);
}

export const mentions = (resourceId: string): RawBuilder<boolean> =>
  sql<boolean>`tickets.resources @> ${JSON.stringify([{ id: resourceId }])}::jsonb`;

export const updatedSince = (since: string): RawBuilder<boolean> =>
  sql<boolean>`tickets.updated_at >= ${since}::timestamptz`;

/** The words stand in the subject or in a message. */
export const contains = (words: string): RawBuilder<boolean> => {
  const pattern = `%${words.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`(tickets.subject ilike ${pattern} or exists (
    select from ticket_messages m where m.ticket_id = tickets.id and m.body ilike ${pattern}))`;
};

export const ticketCounts: readonly LimitCount[] = [
  {
    limits: ['support.open-tickets'],
    query: (accountId) => sql`select count(*) from tickets where account_id = ${accountId}
      and status in ('open', 'in_progress', 'waiting_customer')`,
  },
  {
    limits: ['support.tickets-per-hour'],
    query: (accountId) => sql`select count(*) from tickets where account_id = ${accountId}
      and created_at > now() - interval '1 hour'`,
  },
];

/** For staff and schedules, which work for all accounts. */
export const lockTicket = (db: Db, id: string) =>
  db.selectFrom('tickets').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';

export interface Due {
  readonly status: 'waiting_customer' | 'solved';
  /** So many days ago the ticket came into this state. */
  readonly days: number;
  /** Only tickets of which nobody was reminded. */
  readonly isUnreminded?: true;
}

/** The tickets that have been in a state for so long, oldest first, with the time of the database. */
export async function dueTickets(
  db: Db,
  { status, days, isUnreminded }: Due,
  limit: number,
  id?: string,
): Promise<{ id: string; now: Date }[]> {
  let query = db
    .selectFrom('tickets')
    .select(['id', sql<Date>`now()`.as('now')])
    .where('status', '=', status)
    .where('status_since', '<=', sql<Date>`now() - ${days} * interval '1 day'`);
  if (isUnreminded) query = query.where('reminded_at', 'is', null);
  if (id !== undefined) query = query.where('id', '=', id);
  return query.orderBy('status_since').limit(limit).execute();
}

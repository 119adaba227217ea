import { type RawBuilder, sql } from 'kysely';
import { lockSubjects, pendingOn } from '../../kernel/operations/store.ts';
import type { Db, Tx } from '../../store/database.ts';

/** A timestamp in the database's text format. A `Date` would round it, so different timestamps could become equal. */
export type Moment = string;

export async function readClock(db: Db): Promise<Moment> {
  const { rows } = await sql<{ now: string }>`select to_jsonb(clock_timestamp()) #>> '{}' as now`.execute(db);
  return rows[0]!.now;
}

/** Whether an operation works on the row or is queued for it. */
export const isBusy = (table: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from operation_subjects s where s.subject = ${sql.ref(`${table}.id`)})`;

/**
 * Locks the row and the queue of its operations until the commit, with the queues of `others`. Returns undefined if `lockRow` finds no row, or if an
 * operation works on the row or is queued for it: then the operation decides the state of the row.
 */
export async function holdIdle<Row extends { readonly id: string }>(
  tx: Tx,
  lockRow: (tx: Tx) => Promise<Row | undefined>,
  others: (row: Row) => readonly string[] = () => [],
): Promise<Row | undefined> {
  const row = await lockRow(tx);
  if (row === undefined) return undefined;
  await lockSubjects(tx, [row.id, ...others(row)]);
  return (await pendingOn(tx, [row.id])).has(row.id) ? undefined : row;
}

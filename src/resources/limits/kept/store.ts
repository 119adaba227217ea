/** Queries on `kept_counts`. Triggers write its rows in the transactions that change what is counted. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';

/** A transaction that began earlier may still ask what counted at its beginning. */
const due = sql`since <= now() - interval '2 minutes'`;

/** How much of this an account has, in one location or (`null`) in all. */
export const countKept = (
  accountId: string,
  what: readonly string[],
  location: string | null,
): RawBuilder<unknown> => sql`
  select coalesce(sum(amount), 0)::bigint from kept_counts
  where account_id = ${accountId} and what = any(${[...what]}::text[]) and since <= now()
    and ${location === null ? sql`true` : sql`location = ${location}`}`;

/**
 * Replaces rows by their sums, in one statement, so that a count sees either the rows or the sum. Returns how many rows
 * were no sums before; fewer than `most` if none are left.
 */
export async function foldCounts(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with fresh as (
      select account_id, what from kept_counts where not is_sum and ${due} order by since limit ${most}),
    gone as (
      delete from kept_counts c using (select distinct account_id, what from fresh) f
      where c.account_id = f.account_id and c.what = f.what and ${due} returning c.*),
    added as (
      insert into kept_counts (account_id, what, location, since, amount, is_sum)
      select account_id, what, location, '-infinity', sum(amount), true from gone
      group by account_id, what, location having sum(amount) <> 0)
    select count(*) filter (where not is_sum) as folded from gone`.execute(db);
  return rows[0]?.folded ?? 0;
}

export interface CountDifference {
  readonly account_id: string;
  readonly what: string;
  readonly location: string;
  /** By how much the kept count is too small. */
  readonly amount: number;
}

/** Where the kept counts of these accounts differ from the rows that they count. */
export async function findCountDifferences(
  db: Db,
  accountIds: readonly string[],
): Promise<CountDifference[]> {
  const { rows } = await sql<CountDifference>`
    select account_id, what, location, amount from count_differences(${[...accountIds]}::text[])
    order by 1, 2, 3`.execute(db);
  return rows;
}

/** Corrects the counts of these accounts, while calls go on. Returns the accounts whose counts were wrong. */
export async function correctCounts(db: Db, accountIds: readonly string[]): Promise<string[]> {
  return transact(db, async (tx) => {
    // Two corrections at once would both add the difference.
    await sql`select pg_advisory_xact_lock(hashtextextended('kept_counts', 0))`.execute(tx);
    const { rows } = await sql<{ account_id: string }>`
      insert into kept_counts (account_id, what, location, since, amount)
      select * from count_differences(${[...accountIds]}::text[]) returning account_id`.execute(tx);
    return [...new Set(rows.map(({ account_id }) => account_id))];
  });
}

/** In pages, ordered by id. */
export async function findAccountIds(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

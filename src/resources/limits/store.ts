import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { type Arriving, readLater, sendLater } from '../../store/send-later.ts';

/**
 * Locks these limits of an account until the transaction ends. A limit has one lock, whatever types of resources it
 * counts. The lock is taken before the count, because the count sees only what was committed before it began. Calls that
 * take several limits take them in the same order, so that they do not wait for one another in a circle.
 */
export async function lockLimits(db: Db, accountId: string, limitIds: readonly string[]): Promise<void> {
  if (limitIds.length === 0) return;
  const names = [...limitIds].sort().map((id) => `limit ${id} ${accountId}`);
  await sendLater(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) as name`,
  );
}

/** The use of a limit that nothing counts yet. */
export const nothingCounted: RawBuilder<unknown> = sql`select 0`;

/** A query for one row of numbers, and the limits that they are the use of. */
export interface Count {
  readonly query: RawBuilder<unknown>;
  readonly columns: number;
  /** `place`: where the limit stands in the result. `column`: its number in the row. */
  readonly uses: readonly { readonly id: string; readonly place: number; readonly column: number }[];
}

export interface LimitState {
  readonly used: number;
  /** The account's own value, where `null` means unlimited; undefined if the provider's value applies. */
  readonly own: number | null | undefined;
}

interface StateRow {
  readonly used: number;
  readonly value: number | null;
  readonly is_own: boolean;
}

/** The use of limits and the account's own values in one statement, in the order of the places. */
function countedLimits(accountId: string, counts: readonly Count[]): RawBuilder<StateRow> {
  const parts = counts.map(({ query, columns, uses }) => {
    const names = Array.from({ length: columns }, (_, i) => sql.ref(`n${i}`));
    const rows = uses.map(
      ({ id, place, column }) => sql`(${sql.lit(place)}, ${sql.lit(id)}, ${sql.ref(`n${column}`)}::float8)`,
    );
    return sql`select use.* from (${query}) as numbers (${sql.join(names)})
      cross join lateral (values ${sql.join(rows)}) as use (place, id, used)`;
  });
  return sql<StateRow>`
    select counted.used, own.value, own.limit_id is not null as is_own
    from (${sql.join(parts, sql` union all `)}) as counted
    left join account_limits own on own.account_id = ${accountId} and own.limit_id = counted.id
    order by counted.place`;
}

const statesIn = (rows: readonly StateRow[]): LimitState[] =>
  rows.map(({ used, value, is_own }) => ({ used, own: is_own ? value : undefined }));

export async function readLimits(db: Db, accountId: string, counts: readonly Count[]): Promise<LimitState[]> {
  if (counts.length === 0) return [];
  return statesIn((await countedLimits(accountId, counts).execute(db)).rows);
}

/** The states arrive with the answer to the next statement. */
export async function readLimitsLater(
  db: Db,
  accountId: string,
  counts: readonly Count[],
): Promise<Arriving<LimitState>> {
  if (counts.length === 0) return { rows: Promise.resolve([]) };
  const { rows } = await readLater(db, countedLimits(accountId, counts));
  return { rows: rows.then(statesIn) };
}

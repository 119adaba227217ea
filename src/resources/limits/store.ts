import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../store/database.ts';

/** Counts the resources of these types that an account has, in one location or (`null`) in all. */
export const countResources = (
  accountId: string,
  types: readonly string[],
  location: string | null,
): RawBuilder<number> => sql`
  select count(*) from resources where account_id = ${accountId} and type = any(${[...types]}::text[])
    and ${location === null ? sql`true` : sql`location = ${location}`}`;

/** The use of a limit that nothing counts yet. */
export const nothingCounted: RawBuilder<number> = sql`select 0`;

interface Counted {
  readonly id: string;
  readonly count: RawBuilder<number>;
}

export interface LimitState {
  readonly used: number;
  /** The account's own value, where `null` means unlimited; undefined if the provider's value applies. */
  readonly own: number | null | undefined;
}

/** Reads the use of some limits and the account's own values in one statement, in the order of `limits`. */
export async function readLimits(
  db: Db,
  accountId: string,
  limits: readonly Counted[],
): Promise<LimitState[]> {
  if (limits.length === 0) return [];
  const counts = limits.map(
    ({ id, count }, place) =>
      sql`select ${sql.lit(place)} as place, ${sql.lit(id)} as id, (${count})::float8 as used`,
  );
  const { rows } = await sql<{ used: number; value: number | null; is_own: boolean }>`
    select counted.used, own.value, own.limit_id is not null as is_own
    from (${sql.join(counts, sql` union all `)}) counted
    left join account_limits own on own.account_id = ${accountId} and own.limit_id = counted.id
    order by counted.place`.execute(db);
  return rows.map(({ used, value, is_own }) => ({ used, own: is_own ? value : undefined }));
}

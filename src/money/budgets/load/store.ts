/** Reads what budgets compare with their amounts: the sums of the meter, and the costs of operations that have not ended. */
import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { dayName, monthAt, type Period } from '../../metering/calendar.ts';
import type { Entry } from '../../metering/totals/entry.ts';
import { readEntry, type StoredEntry, summed, totalsOf } from '../../metering/totals/store.ts';
import { type PendingCost, pendingCostsOf, readPendingCost, type StoredCost } from '../pending/store.ts';

/** A selection of the entries of an account. */
export interface Selection {
  /** The scope of the entries: the id of a budget that selects by labels, otherwise empty. */
  readonly scope: string;
  readonly families: readonly string[] | null;
  readonly apiKeyIds: readonly string[] | null;
}

export interface Read {
  /** In the order of the selections. */
  readonly entries: readonly (readonly Entry[])[];
  readonly pending: readonly PendingCost[];
}

/**
 * Reads everything in one statement, so that it is of one moment. The end of an operation moves its cost from the pending
 * costs to the meter; between two statements it would be in neither.
 */
export async function readLoads(
  db: Db,
  accountId: string,
  selections: readonly Selection[],
  now: Date,
): Promise<Read> {
  const { from, to } = monthAt(now.getTime());
  const scopes = [...new Set(selections.map(({ scope }) => scope))];
  const wanted = { scopes, from, until: now.getTime(), to };
  const asked = JSON.stringify(selections.map((selection, place) => ({ place, ...selection })));
  const { rows } = await sql<{
    sums: (Omit<StoredEntry, 'at' | 'unit'> & { place: number; begins: boolean })[];
    pending: StoredCost[];
  }>`
    with entries as (${totalsOf(accountId, wanted)}), added as (
      select asked.place, kind, month::text as month, pace, cap_ms, kind = 'bend' and at = ${now} as begins, ${summed}
      from jsonb_to_recordset(${asked}::jsonb) as asked (place int, scope text, families jsonb, "apiKeyIds" jsonb)
      join entries on entries.scope = asked.scope
        and (asked.families is null or asked.families ? entries.family)
        and (asked."apiKeyIds" is null or coalesce(asked."apiKeyIds" ? entries.api_key_id, false))
      where kind <> 'cap' or at <= ${now}
      group by 1, 2, 3, 4, 5, 6)
    select (select coalesce(jsonb_agg(to_jsonb(added)), '[]') from added) as sums,
      (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from (${pendingCostsOf(accountId, dayName(from))}) p) as pending`.execute(
    db,
  );
  const [{ sums, pending } = { sums: [], pending: [] }] = rows;
  const entries: Entry[][] = selections.map(() => []);
  for (const row of sums) {
    // Bends count after their time, and caps from their time on: here it matters only that they count now, except bends
    // that begin now, and that none counts at the beginning of the month. The sums are over all units.
    const at = row.begins || row.kind === 'cap' ? now : new Date(from);
    entries[row.place]?.push(readEntry({ ...row, unit: '', at }));
  }
  return { entries, pending: pending.map(readPendingCost) };
}

/**
 * The entries of a selection within one month, by day; on the day of `exactly`, one by one. So costs are exact at every
 * midnight, and at every millisecond of that day.
 */
export async function readMonth(
  db: Db,
  accountId: string,
  { scope, families, apiKeyIds }: Selection,
  { from, to }: Period,
  exactly: Date = from,
): Promise<Entry[]> {
  const wanted = { scopes: [scope], from: exactly.getTime(), until: to.getTime(), to: to.getTime() };
  const { rows } = await sql<StoredEntry>`
    select kind, month::text as month, at, '' as unit, pace, cap_ms, ${summed}
    from (${totalsOf(accountId, wanted)}) entries
    where ${families === null ? sql`true` : sql`family = any(${families}::text[])`}
      and ${apiKeyIds === null ? sql`true` : sql`api_key_id = any(${apiKeyIds}::text[])`}
    group by 1, 2, 3, 5, 6`.execute(db);
  return rows.map(readEntry);
}

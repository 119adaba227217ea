import { sql } from 'kysely';
import type { Db, Tx } from '../../../store/database.ts';
import '../store.ts';

export interface Affected {
  readonly account_id: string;
  /** The given SKUs that resources of the account are billed by now. */
  readonly skus: string[];
}

export async function accountsBilledBy(db: Db, skus: readonly string[]): Promise<Affected[]> {
  const { rows } = await sql<Affected>`
    select s.account_id, array_agg(distinct l ->> 'sku' order by l ->> 'sku') as skus
    from meter_spans s, jsonb_array_elements(s.lines) l
    where s.ended_at is null and l ->> 'sku' = any(${skus}::text[])
    group by s.account_id order by s.account_id`.execute(db);
  return rows;
}

/**
 * Returns the SKUs already announced for that date. Holds a lock until commit, so that two workers do not
 * announce the same SKU.
 */
export async function lockAnnounced(tx: Tx, accountId: string, validFrom: string): Promise<Set<string>> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 10))`.execute(tx);
  const { rows } = await sql<{ sku: string }>`
    select jsonb_array_elements_text(data -> 'skus') as sku from events
    where account_id = ${accountId} and type = 'price.change_announced' and data ->> 'valid_from' = ${validFrom}`.execute(
    tx,
  );
  return new Set(rows.map(({ sku }) => sku));
}
